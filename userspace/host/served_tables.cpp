// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/served_tables.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "userspace/format/extra_file.h"
#include "userspace/format/opened_blobs.h"
#include "userspace/format/temporary_file.h"
#include "userspace/host/sha256.h"
#include "userspace/host/staged_folder.h"

namespace btf_extra::host {
namespace {

constexpr size_t kSha256Digits = 64;

bool is_hex(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// The kernel's names of modules are shorter than 56 bytes.
bool is_object_name(std::string_view text) {
    constexpr std::string_view kOthers = "_-+";
    return !text.empty() && text.size() < 56 && std::ranges::all_of(text, [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               kOthers.find(c) != kOthers.npos;
    });
}

// Puts the ELF file that carries it in the place of a .btf_extra file.
Result<ServedObject> pack(const std::string &folder, const std::string &name,
                          const std::string &build_id) {
    const std::string plain = fmt::format("{}/{}.btf_extra", folder, name);
    ServedObject out{.name = name, .build_id = build_id, .size = 0, .sha256 = {}};
    const std::string path = folder + "/" + out.file();
    const auto file = TRY(read_extra_file(plain));
    const auto bytes = TRY(carrier_bytes(path, file));
    TRY(write_whole_file(path, bytes));
    // If several files have one build-id, debuginfod gives the newest. This one is made old, so
    // that the kernel's own file comes first where the server has it.
    const timespec old[2] = {{1, 0}, {1, 0}};
    if (utimensat(AT_FDCWD, path.c_str(), old, 0) != 0 || unlink(plain.c_str()) != 0)
        return Error{fmt::format("{}: output: {}", path, std::strerror(errno)), errno};
    out.size = static_cast<uint32_t>(bytes.size());
    out.sha256 = TRY(sha256(bytes));
    return out;
}

}  // namespace

Result<std::vector<ServedObject>> parse_served_list(const std::string &where,
                                                    std::string_view text) {
    std::vector<ServedObject> out;
    std::set<std::string> names;
    std::istringstream in{std::string(text)};
    size_t number = 1;
    for (std::string line; std::getline(in, line); number++) {
        std::istringstream words(line);
        ServedObject each;
        std::string size, rest;
        words >> each.name >> each.build_id >> size >> each.sha256;
        const auto [end, error] =
            std::from_chars(size.data(), size.data() + size.size(), each.size);
        if (!words || words >> rest || error != std::errc{} || end != size.data() + size.size() ||
            !is_object_name(each.name) || !is_hex(each.build_id) || !is_hex(each.sha256) ||
            each.sha256.size() != kSha256Digits)
            return Error{
                fmt::format("{}: line {}: not 'OBJECT BUILD-ID SIZE SHA-256'", where, number)};
        if (!names.insert(each.name).second)
            return Error{fmt::format("{}: line {}: {} is listed twice", where, number, each.name)};
        out.push_back(std::move(each));
    }
    return out;
}

Result<generator::FirmwareTree> write_served_tables(generator::FirmwareOptions options,
                                                    const std::string &above) {
    const auto staged = TRY(StagedFolder::begin(above));
    options.output = staged->path();
    auto tree = TRY(generator::write_firmware_tree(options));
    if (const Error *failure = tree.failure())
        return *failure;
    std::string list;
    tree.bytes = 0;
    for (const auto &[name, build_id] : tree.build_ids) {
        const auto packed = TRY(pack(staged->path(), name, build_id));
        list += fmt::format("{} {} {} {}\n", name, build_id, packed.size, packed.sha256);
        tree.bytes += packed.size;
    }
    TRY(write_whole_file(staged->path() + "/" + kServedList, std::as_bytes(std::span(list))));
    unlink((staged->path() + "/manifest").c_str());
    const std::string &kernel = tree.build_ids.at("vmlinux");
    TRY(staged->keep(kernel));
    tree.output = above + "/" + kernel;
    return tree;
}

Result<void> put_tables(const std::string &where, const std::vector<std::byte> &bytes,
                        const std::string &build_id, const std::string &path) {
    extra_elf elf;
    TRY(open_container(where, bytes, elf));
    const auto *id = static_cast<const std::byte *>(elf.build_id.data);
    const std::string found =
        build_id_text({id - BUILD_ID_NOTE_HEADER, elf.build_id.size + BUILD_ID_NOTE_HEADER});
    if (found != build_id)
        return Error{fmt::format("{}: for build-id {}, not {}", where, found, build_id)};
    return write_whole_file(path, bytes);
}

Result<void> put_served(const std::string &where, const std::vector<std::byte> &bytes,
                        const ServedObject &object, const std::string &path) {
    const std::string sum = TRY(sha256(bytes));
    if (sum != object.sha256)
        return Error{fmt::format("{}: SHA-256 is {}, not {}", where, sum, object.sha256)};
    const auto container = TRY(carried_container(where, bytes));
    return put_tables(where, container, object.build_id, path);
}

}  // namespace btf_extra::host
