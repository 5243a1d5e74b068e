// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/section_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <gelf.h>
#include <sys/mman.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/file_descriptor.h"
#include "userspace/format/temporary_file.h"

namespace btf_extra::generator {

namespace {

constexpr uint64_t kAlign = 8;

Elf_Scn *find_section(Elf *elf, size_t names, std::string_view name) {
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        const char *its = gelf_getshdr(section, &header) != nullptr
                              ? elf_strptr(elf, names, header.sh_name)
                              : nullptr;
        if (its != nullptr && its == name)
            return section;
    }
    return nullptr;
}

bool set_bytes(Elf_Data *data, std::span<const std::byte> bytes) {
    if (data == nullptr)
        return false;
    data->d_buf = const_cast<std::byte *>(bytes.data());
    data->d_size = bytes.size();
    data->d_type = ELF_T_BYTE;
    data->d_align = kAlign;
    elf_flagdata(data, ELF_C_SET, ELF_F_DIRTY);
    return true;
}

bool replace(Elf_Scn *section, std::span<const std::byte> bytes) {
    GElf_Shdr header;
    Elf_Data *data = elf_getdata(section, nullptr);
    if (!set_bytes(data, bytes) || gelf_getshdr(section, &header) == nullptr)
        return false;
    header.sh_size = bytes.size();
    header.sh_addralign = std::max<uint64_t>(header.sh_addralign, kAlign);
    data->d_align = header.sh_addralign;
    return gelf_update_shdr(section, &header) != 0;
}

bool add(Elf *elf, size_t name, std::span<const std::byte> bytes) {
    Elf_Scn *section = elf_newscn(elf);
    GElf_Shdr header;
    if (section == nullptr || !set_bytes(elf_newdata(section), bytes) ||
        gelf_getshdr(section, &header) == nullptr)
        return false;
    header.sh_name = static_cast<uint32_t>(name);
    header.sh_type = SHT_PROGBITS;
    header.sh_flags = SHF_ALLOC;
    header.sh_size = bytes.size();
    header.sh_addralign = kAlign;
    return gelf_update_shdr(section, &header) != 0;
}

bool hide(Elf_Scn *section) {
    GElf_Shdr header;
    if (section == nullptr)
        return true;
    if (gelf_getshdr(section, &header) == nullptr)
        return false;
    header.sh_name = 0;
    return gelf_update_shdr(section, &header) != 0;
}

bool edit(int fd, std::span<const SectionContents> sections, std::span<const char *const> hidden) {
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_begin(fd, ELF_C_RDWR, nullptr), elf_end);
    size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf.get(), &names) != 0)
        return false;
    Elf_Data *text = elf_getdata(elf_getscn(elf.get(), names), nullptr);
    if (text == nullptr)
        return false;
    for (const char *name : hidden)
        if (!hide(find_section(elf.get(), names, name)))
            return false;
    std::string all_names(static_cast<const char *>(text->d_buf), text->d_size);
    for (const SectionContents &each : sections) {
        if (Elf_Scn *section = find_section(elf.get(), names, each.name)) {
            if (!replace(section, each.bytes))
                return false;
            continue;
        }
        if (!add(elf.get(), all_names.size(), each.bytes))
            return false;
        all_names += each.name;
        all_names += '\0';
    }
    text->d_buf = all_names.data();
    text->d_size = all_names.size();
    elf_flagdata(text, ELF_C_SET, ELF_F_DIRTY);
    return elf_update(elf.get(), ELF_C_WRITE) >= 0;
}

}  // namespace

Result<std::vector<std::byte>> with_sections(std::span<const std::byte> file,
                                             std::span<const SectionContents> sections,
                                             std::span<const char *const> hidden) {
    errno = 0;
    const FileDescriptor memory(memfd_create("btf-extra", MFD_CLOEXEC));
    if (!memory || !write_all(memory.get(), file) || !edit(memory.get(), sections, hidden))
        return Error{errno != 0 ? std::strerror(errno) : elf_errmsg(-1)};
    std::vector<std::byte> out(static_cast<size_t>(lseek(memory.get(), 0, SEEK_END)));
    if (pread(memory.get(), out.data(), out.size(), 0) != static_cast<ssize_t>(out.size()))
        return Error{std::strerror(errno)};
    return out;
}

Result<void> write_sections(const std::string &path, std::span<const SectionContents> sections) {
    const auto before = TRY(read_whole_file(path));
    const auto after = with_sections(before, sections);
    if (!after)
        return Error{fmt::format("{}: output: {}", path, after.error().message)};
    return write_whole_file(path, *after);
}

}  // namespace btf_extra::generator
