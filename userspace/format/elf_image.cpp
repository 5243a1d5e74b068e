// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/elf_image.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <gelf.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/core_api.h"
#include "userspace/format/zstd_file.h"

namespace btf_extra {
namespace {

constexpr uint64_t pad4(uint64_t size) {
    return (size + 3) & ~uint64_t{3};
}

}  // namespace

bool ElfSection::executable() const {
    return (flags & SHF_EXECINSTR) != 0;
}

bool ElfSection::allocated() const {
    return (flags & SHF_ALLOC) != 0;
}

Error ElfImage::error(std::string_view where, std::string_view reason) const {
    return Error{fmt::format("{}: {}: {}", path_, where, reason)};
}

Result<ElfImage> ElfImage::open(const std::string &path) {
    ElfImage image;
    image.path_ = path;
    image.fd_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!image.fd_)
        return image.error("open", std::strerror(errno));
    struct stat status;
    if (fstat(image.fd_.get(), &status) != 0)
        return image.error("open", std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        return image.error("open", "not a regular file");

    // Some distributions compress their modules.
    if (is_zstd_file(image.fd_.get())) {
        auto plain = TRY(decompress_zstd_file(path, image.fd_.get()));
        image.fd_ = std::move(plain);
        image.zstd_ = true;
    }
    TRY(image.read_file());
    auto plain = TRY(decompress_zstd_sections(path, image.elf_.get()));
    if (plain) {
        image.elf_.reset();
        image.fd_ = std::move(plain);
        image.zstd_ = true;
        TRY(image.read_file());
    }
    return image;
}

Result<void> ElfImage::read_file() {
    elf_version(EV_CURRENT);
    elf_.reset(elf_begin(fd_.get(), ELF_C_READ_MMAP, nullptr));
    if (elf_ && elf_kind(elf_.get()) == ELF_K_NONE)
        if (Elf *decompressed = dwelf_elf_begin(fd_.get()))
            elf_.reset(decompressed);
    sections_.clear();
    return read_sections();
}

Result<ElfImage> ElfImage::from_bytes(std::string path, std::vector<std::byte> bytes) {
    ElfImage image;
    image.path_ = std::move(path);
    image.bytes_ = std::move(bytes);
    elf_version(EV_CURRENT);
    image.elf_.reset(
        elf_memory(reinterpret_cast<char *>(image.bytes_.data()), image.bytes_.size()));
    TRY(image.read_sections());
    return image;
}

Result<void> ElfImage::read_sections() {
    Elf *elf = elf_.get();
    if (elf == nullptr || elf_kind(elf) != ELF_K_ELF)
        return Error{error("ELF header", "not an ELF file").message, ENOEXEC};
    GElf_Ehdr header;
    if (gelf_getehdr(elf, &header) == nullptr)
        return error("ELF header", elf_errmsg(-1));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return error("ELF header", "not a 64-bit little-endian file");
    machine_ = header.e_machine;
    relocatable_ = header.e_type == ET_REL;

    size_t size = 0;
    if (elf_rawfile(elf, &size) == nullptr)
        return error("open", elf_errmsg(-1));
    uint64_t table = uint64_t{header.e_shnum} * header.e_shentsize;
    if (header.e_shoff == 0 || header.e_shoff > size || table > size - header.e_shoff)
        return error("section headers", "cut off or absent");
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return error("section headers", elf_errmsg(-1));
    for (Elf_Scn *scn = nullptr; (scn = elf_nextscn(elf, scn)) != nullptr;) {
        GElf_Shdr shdr;
        if (gelf_getshdr(scn, &shdr) == nullptr)
            return error("section headers", elf_errmsg(-1));
        // A null header has no name, whatever its fields contain.
        const char *name = shdr.sh_type == SHT_NULL ? "" : elf_strptr(elf, names, shdr.sh_name);
        if (name == nullptr)
            return error("section headers", "a section's name is not readable");
        sections_.push_back({.name = name,
                             .index = static_cast<uint32_t>(elf_ndxscn(scn)),
                             .type = shdr.sh_type,
                             .flags = shdr.sh_flags,
                             .address = shdr.sh_addr,
                             .size = shdr.sh_size});
    }
    return {};
}

const ElfSection *ElfImage::find(std::string_view name) const {
    for (const ElfSection &section : sections_)
        if (section.name == name)
            return &section;
    return nullptr;
}

Result<std::span<const std::byte>> ElfImage::bytes(const ElfSection &section) const {
    if (section.type == SHT_NOBITS)
        return error(section.name, "has no contents in this file");
    if (section.flags & SHF_COMPRESSED)
        return error(section.name, "is compressed");
    Elf_Data *data = elf_rawdata(elf_getscn(elf_.get(), section.index), nullptr);
    if (data == nullptr)
        return error(section.name, elf_errmsg(-1));
    if (data->d_size != section.size || (data->d_buf == nullptr && data->d_size != 0))
        return error(section.name, "cut off");
    return std::span(static_cast<const std::byte *>(data->d_buf), data->d_size);
}

std::vector<std::byte> ElfImage::build_id_note() const {
    for (const ElfSection &section : sections_) {
        if (section.type != SHT_NOTE)
            continue;
        auto contents = bytes(section);
        if (!contents)
            continue;
        const extra_bytes id = build_id_find(contents->data(), contents->size());
        if (id.data == nullptr)
            continue;
        const auto *first = static_cast<const std::byte *>(id.data) - BUILD_ID_NOTE_HEADER;
        const std::byte *end = first + BUILD_ID_NOTE_HEADER + pad4(id.size);
        // The last note may lack its padding.
        return {first, std::min(end, contents->data() + contents->size())};
    }
    return {};
}

std::optional<uint32_t> executable_section(std::span<const ElfSection> sections, uint64_t address) {
    auto above = std::ranges::upper_bound(sections, address, {}, &ElfSection::address);
    // Empty sections may begin at the same address as the one that is wanted.
    while (above != sections.begin()) {
        --above;
        if (address - above->address < above->size) {
            if (above->executable())
                return static_cast<uint32_t>(above - sections.begin());
            return {};
        }
    }
    return {};
}

std::string build_id_text(std::span<const std::byte> notes) {
    const extra_bytes id = build_id_find(notes.data(), notes.size());
    std::string text;
    for (uint32_t i = 0; i < id.size; i++)
        text += fmt::format("{:02x}", static_cast<const u8 *>(id.data)[i]);
    return text;
}

std::string notes_build_id(const std::string &path) {
    const auto notes = read_whole_file(path);
    return notes ? build_id_text(*notes) : "";
}

}  // namespace btf_extra
