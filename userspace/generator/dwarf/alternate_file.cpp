// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/alternate_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <vector>

#include "userspace/format/byte_reader.h"

namespace btf_extra::generator {

namespace {

constexpr char kGnuLink[] = ".gnu_debugaltlink";
constexpr char kLink[] = ".debug_sup";

std::string hex(std::span<const uint8_t> bytes) {
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

struct Supplement {
    bool is_supplementary = false;
    std::string name;
    std::string checksum;
};

std::optional<Supplement> read_debug_sup(std::span<const uint8_t> bytes) {
    ByteReader reader(bytes);
    const uint16_t version = reader.u16();
    Supplement read;
    read.is_supplementary = reader.u8() != 0;
    read.name = reader.string();
    read.checksum = hex(reader.bytes(reader.uleb()));
    if (reader.failed() || version != 5)
        return std::nullopt;
    return read;
}

// Returns what the link to a file has to say: its build-id, or the checksum in its .debug_sup.
std::string id_of(const ElfImage &elf, const AlternateLink &link) {
    if (link.section == std::string_view(kGnuLink))
        return build_id_text(elf.build_id_note());
    const ElfSection *section = elf.find(kLink);
    const auto bytes = section ? elf.bytes(*section) : Result<std::span<const std::byte>>(Error{});
    if (!bytes)
        return {};
    const auto read =
        read_debug_sup({reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size()});
    return read && read->is_supplementary ? read->checksum : std::string();
}

}  // namespace

std::optional<AlternateLink> alternate_link(std::string_view section,
                                            std::span<const uint8_t> bytes) {
    if (section == kGnuLink) {
        ByteReader reader(bytes);
        const std::string name(reader.string());
        if (reader.failed() || name.empty())
            return std::nullopt;
        return AlternateLink{kGnuLink, name, hex(bytes.subspan(reader.offset()))};
    }
    if (section != kLink)
        return std::nullopt;
    const auto read = read_debug_sup(bytes);
    if (!read || read->is_supplementary || read->name.empty())
        return std::nullopt;
    return AlternateLink{kLink, read->name, read->checksum};
}

Result<ElfImage> open_alternate(const std::string &path, const AlternateLink &link) {
    namespace fs = std::filesystem;
    std::vector<std::string> candidates{(fs::path(path).parent_path() / link.name).string()};
    if (link.section == std::string_view(kGnuLink) && link.id.size() > 2)
        candidates.push_back(fmt::format("/usr/lib/debug/.build-id/{}/{}.debug",
                                         link.id.substr(0, 2), link.id.substr(2)));
    std::string other;
    for (const std::string &candidate : candidates) {
        Result<ElfImage> elf = ElfImage::open(candidate);
        if (elf && id_of(*elf, link) == link.id)
            return elf;
        if (elf && other.empty())
            other = candidate;
    }
    return Error{fmt::format("{}: {}: {} (build-id {}); install the debug information of the same "
                             "build",
                             path, link.section,
                             other.empty() ? fmt::format("{} is missing", link.name)
                                           : fmt::format("{} is of another build", other),
                             link.id)};
}

}  // namespace btf_extra::generator
