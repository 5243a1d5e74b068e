// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/provenance.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include <fmt/format.h>

namespace btf_extra {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint32_t kMagic = 0x56505842;  // "BXPV"
constexpr uint32_t kVersion = 2;
constexpr uint32_t kNotKnown = UINT32_MAX;  // as a count

// The file has this header, func_files, variadic_funcs, left_out_sites (u32 each), the files' names
// with a NUL each, and the reasons (u8 each), without gaps.
struct Header {
    uint32_t magic;
    uint32_t version;
    uint32_t base_end_id;
    uint32_t base_end_string;
    uint64_t inline_instances;
    uint32_t skipped_rust_units;
    uint32_t nr_func_files;
    uint32_t nr_variadic_funcs;
    uint32_t nr_files;
    uint32_t files_bytes;
    uint32_t nr_reasons;
    uint32_t nr_left_out_sites;  // or kNotKnown
    uint32_t contradicted;
};
static_assert(sizeof(Header) == 56);

template <class T> void append(std::vector<std::byte> &out, const T *data, size_t count) {
    auto bytes = std::as_bytes(std::span(data, count));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

template <class T> std::vector<T> take(std::span<const std::byte> &bytes, size_t count) {
    std::vector<T> out(count);
    if (count != 0)
        std::memcpy(out.data(), bytes.data(), count * sizeof(T));
    bytes = bytes.subspan(count * sizeof(T));
    return out;
}

bool ascending(std::span<const uint32_t> numbers) {
    return std::ranges::adjacent_find(numbers, std::greater_equal()) == numbers.end();
}

Result<std::vector<std::string>> split_names(std::span<const std::byte> bytes, uint32_t count) {
    std::vector<std::string> names;
    std::string_view rest(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    while (!rest.empty()) {
        size_t end = rest.find('\0');
        if (end == rest.npos || names.size() == count)
            return Error{"file names do not match their count"};
        names.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end + 1);
    }
    if (names.size() != count)
        return Error{"file names do not match their count"};
    return names;
}

}  // namespace

std::string_view text(MissingReason reason) {
    // The first is that of kMissingReasonFirst; the others follow in order of number.
    static constexpr std::string_view kTexts[] = {
        "optimized out", "no location here", "arithmetic", "implicit pointer",
        "entry value",   "static memory",    "pieces",     "parameter reference",
        "size",          "perhaps assigned"};
    const size_t number = static_cast<size_t>(reason) - kMissingReasonFirst;
    return number < std::size(kTexts) ? kTexts[number] : "unknown";
}

std::vector<std::byte> encode(const Provenance &provenance) {
    std::string names;
    for (const std::string &file : provenance.files) {
        names += file;
        names += '\0';
    }
    Header header = {
        .magic = kMagic,
        .version = kVersion,
        .base_end_id = provenance.base_end_id,
        .base_end_string = provenance.base_end_string,
        .inline_instances = provenance.inline_instances,
        .skipped_rust_units = provenance.skipped_rust_units,
        .nr_func_files = static_cast<uint32_t>(provenance.func_files.size()),
        .nr_variadic_funcs = static_cast<uint32_t>(provenance.variadic_funcs.size()),
        .nr_files = static_cast<uint32_t>(provenance.files.size()),
        .files_bytes = static_cast<uint32_t>(names.size()),
        .nr_reasons = static_cast<uint32_t>(provenance.reasons.size()),
        .nr_left_out_sites = provenance.left_out_sites
                                 ? static_cast<uint32_t>(provenance.left_out_sites->size())
                                 : kNotKnown,
        .contradicted = provenance.contradicted,
    };
    std::vector<std::byte> out;
    append(out, &header, 1);
    append(out, provenance.func_files.data(), provenance.func_files.size());
    append(out, provenance.variadic_funcs.data(), provenance.variadic_funcs.size());
    if (provenance.left_out_sites)
        append(out, provenance.left_out_sites->data(), provenance.left_out_sites->size());
    append(out, names.data(), names.size());
    append(out, provenance.reasons.data(), provenance.reasons.size());
    return out;
}

Result<Provenance> decode_provenance(std::span<const std::byte> bytes) {
    Header header;
    if (bytes.size() < sizeof(header))
        return Error{"cut off in its header"};
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.magic != kMagic)
        return Error{"wrong magic"};
    if (header.version != kVersion)
        return Error{fmt::format("version {} is not known", header.version)};

    const bool knows_left_out = header.nr_left_out_sites != kNotKnown;
    const uint32_t nr_left_out = knows_left_out ? header.nr_left_out_sites : 0;
    uint64_t size = sizeof(header);
    size += uint64_t{header.nr_func_files} * sizeof(uint32_t);
    size += uint64_t{header.nr_variadic_funcs} * sizeof(uint32_t);
    size += uint64_t{nr_left_out} * sizeof(uint32_t);
    size += header.files_bytes;
    size += header.nr_reasons;
    if (size != bytes.size())
        return Error{fmt::format("{} bytes, but its header needs {}", bytes.size(), size)};

    Provenance out;
    out.base_end_id = header.base_end_id;
    out.base_end_string = header.base_end_string;
    out.inline_instances = header.inline_instances;
    out.skipped_rust_units = header.skipped_rust_units;
    out.contradicted = header.contradicted;

    bytes = bytes.subspan(sizeof(header));
    out.func_files = take<uint32_t>(bytes, header.nr_func_files);
    out.variadic_funcs = take<uint32_t>(bytes, header.nr_variadic_funcs);
    if (auto sites = take<uint32_t>(bytes, nr_left_out); knows_left_out)
        out.left_out_sites = std::move(sites);
    out.files = TRY(split_names(bytes.first(header.files_bytes), header.nr_files));
    bytes = bytes.subspan(header.files_bytes);
    out.reasons = take<uint8_t>(bytes, header.nr_reasons);

    if (out.base_end_id == 0)
        return Error{"first id above the base is 0"};
    for (uint32_t file : out.func_files)
        if (file != Provenance::kNoFile && file >= header.nr_files)
            return Error{fmt::format("file number {} of {}", file, header.nr_files)};
    if (!ascending(out.variadic_funcs))
        return Error{"variadic functions are not in order"};
    if (knows_left_out && !ascending(*out.left_out_sites))
        return Error{"sites that are left out are not in order"};
    for (uint8_t reason : out.reasons)
        if (reason < kMissingReasonFirst || reason > kMissingReasonLast)
            return Error{fmt::format("reason code {} is not known", reason)};
    return out;
}

}  // namespace btf_extra
