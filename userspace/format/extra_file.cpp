// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/extra_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <libelf.h>

#include "userspace/format/elf_image.h"
#include "userspace/format/file_descriptor.h"
#include "userspace/format/temporary_file.h"

namespace btf_extra {
namespace {

constexpr uint64_t kKeptFlags = SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE;
constexpr size_t kMaxBaseLevels = 2;

struct NewSection {
    std::string_view name;
    uint32_t type;
    uint64_t align;
    std::span<const std::byte> bytes;  // empty for SHT_NOBITS
    uint64_t flags = 0;
    uint64_t address = 0;
    uint64_t size = 0;  // size of a SHT_NOBITS section
};

bool write_elf(int fd, uint16_t machine, const std::vector<NewSection> &sections) {
    std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_begin(fd, ELF_C_WRITE, nullptr), elf_end);
    if (!elf)
        return false;
    Elf64_Ehdr *header = elf64_newehdr(elf.get());
    if (header == nullptr)
        return false;
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_type = ET_REL;
    header->e_machine = machine;
    header->e_version = EV_CURRENT;

    std::string names(1, '\0');
    std::vector<uint32_t> name_offsets;
    for (const NewSection &section : sections) {
        name_offsets.push_back(static_cast<uint32_t>(names.size()));
        names += section.name;
        names += '\0';
    }
    auto add = [&](uint32_t name, const NewSection &section) {
        Elf_Scn *scn = elf_newscn(elf.get());
        Elf_Data *data = scn != nullptr ? elf_newdata(scn) : nullptr;
        Elf64_Shdr *shdr = data != nullptr ? elf64_getshdr(scn) : nullptr;
        if (shdr == nullptr)
            return false;
        const bool header_alone = section.type == SHT_NOBITS;
        data->d_buf = const_cast<std::byte *>(section.bytes.data());
        data->d_size = header_alone ? section.size : section.bytes.size();
        data->d_align = section.align;
        data->d_type = ELF_T_BYTE;
        shdr->sh_name = name;
        shdr->sh_type = section.type;
        shdr->sh_flags = section.flags;
        shdr->sh_addr = section.address;
        header->e_shstrndx =
            static_cast<uint16_t>(elf_ndxscn(scn));  // the last section is the string table
        return true;
    };
    for (size_t i = 0; i < sections.size(); i++)
        if (!add(name_offsets[i], sections[i]))
            return false;
    auto names_at = static_cast<uint32_t>(names.size());
    names += ".shstrtab";
    names += '\0';
    if (!add(names_at, {".shstrtab", SHT_STRTAB, 1, std::as_bytes(std::span(names))}))
        return false;
    return elf_update(elf.get(), ELF_C_WRITE) >= 0;
}

std::vector<NewSection> sections_of(const ExtraFile &file,
                                    const std::vector<std::byte> &provenance) {
    std::vector<NewSection> sections;
    auto add = [&](const char *name, uint32_t type, std::span<const std::byte> bytes) {
        if (!bytes.empty())
            sections.push_back({name, type, 8, bytes});
    };
    auto add_header = [&](const ObjectSection &section) {
        sections.push_back({section.name,
                            SHT_NOBITS,
                            1,
                            {},
                            section.flags & kKeptFlags,
                            section.address,
                            section.size});
    };
    add(kTypesSection, SHT_PROGBITS, file.types);
    add(kFuncInfoSection, SHT_PROGBITS, file.func_info);
    add(kInlineSection, SHT_PROGBITS, file.inline_blob);
    add(kBuildIdSection, SHT_NOTE, file.build_id_note);
    add(kBaseSection, SHT_PROGBITS, std::as_bytes(std::span(file.base)));
    if (file.site_marks)  // also if there are none
        sections.push_back(
            {kSiteMarksSection, SHT_PROGBITS, 8, std::as_bytes(std::span(*file.site_marks))});
    if (file.own_types)
        add(kOwnTypesSection, SHT_PROGBITS, std::as_bytes(std::span(&*file.own_types, 1)));
    for (const ObjectSection &section : file.sections)
        add_header(section);
    if (file.vmlinux_btf)
        add_header(*file.vmlinux_btf);
    add(kProvenanceSection, SHT_PROGBITS, provenance);
    return sections;
}

bool write_to(int fd, const ExtraFile &file) {
    std::vector<std::byte> provenance;
    if (file.provenance)
        provenance = encode(*file.provenance);
    elf_version(EV_CURRENT);
    errno = 0;
    return write_elf(fd, file.machine, sections_of(file, provenance));
}

Error failed(std::string_view path) {
    return Error{
        fmt::format("{}: output: {}", path, errno != 0 ? std::strerror(errno) : elf_errmsg(-1))};
}

}  // namespace

Result<std::vector<std::byte>> extra_file_bytes(const ExtraFile &file) {
    const FileDescriptor memory(memfd_create("btf_extra", MFD_CLOEXEC));
    if (!memory || !write_to(memory.get(), file))
        return failed("memory");
    std::vector<std::byte> bytes(static_cast<size_t>(lseek(memory.get(), 0, SEEK_END)));
    if (pread(memory.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return failed("memory");
    return bytes;
}

Result<void> write_extra_file(const std::string &path, const ExtraFile &file) {
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return Error{fmt::format("{}: output: not a regular file", path)};
    errno = 0;
    TemporaryFile temporary(path);
    if (temporary.fd() < 0 || !write_to(temporary.fd(), file) || !temporary.keep_as(path))
        return failed(path);
    return {};
}

namespace {

// Adds a header of the described object. Returns false if it exists twice.
bool take_header(const ElfSection &section, ExtraFile &file) {
    ObjectSection header = {section.name, section.flags & kKeptFlags, section.address,
                            section.size};
    if (header.name == kVmlinuxBtfSection) {
        if (file.vmlinux_btf)
            return false;
        file.vmlinux_btf = std::move(header);
    } else if (section.executable() && section.allocated()) {
        if (std::ranges::find(file.sections, header.name, &ObjectSection::name) !=
            file.sections.end())
            return false;
        file.sections.push_back(std::move(header));
    }
    return true;
}

}  // namespace

Result<ExtraFile> read_extra_file(const std::string &path) {
    auto image = ElfImage::open(path);
    if (!image)
        return image.error();
    ExtraFile file;
    file.machine = image->machine();

    std::vector<std::byte> provenance, base, marks;
    struct Wanted {
        const char *name;
        std::vector<std::byte> *into;
        bool may_be_empty = false;
        bool seen = false;
    } wanted[] = {
        {kTypesSection, &file.types},
        {kFuncInfoSection, &file.func_info},
        {kInlineSection, &file.inline_blob},
        {kBuildIdSection, &file.build_id_note},
        {kBaseSection, &base},
        {kProvenanceSection, &provenance},
        {kSiteMarksSection, &marks, true},
    };
    const Wanted &wanted_marks = wanted[std::size(wanted) - 1];
    for (const ElfSection &section : image->sections()) {
        for (Wanted &want : wanted) {
            if (section.name != want.name)
                continue;
            if (want.seen)
                return image->error(section.name, "exists twice");
            want.seen = true;
            auto bytes = image->bytes(section);
            if (!bytes)
                return bytes.error();
            if ((bytes->empty() && !want.may_be_empty) || bytes->size() > UINT32_MAX)
                return image->error(section.name, "is empty, or has 4 GiB or more");
            want.into->assign(bytes->begin(), bytes->end());
        }
        if (section.type != SHT_NOBITS)
            continue;
        if (section.size == 0 || section.size > UINT64_MAX - section.address)
            return image->error(section.name, "is empty, or its end exceeds 64 bits");
        if (!take_header(section, file))
            return image->error(section.name, "exists twice");
    }

    if (file.inline_blob.empty()) {
        if (file.types.empty())
            return image->error(kTypesSection, "not there");
        if (file.func_info.empty())
            return image->error(kFuncInfoSection, "not there");
    } else if (!file.types.empty() || !file.func_info.empty()) {
        return image->error(kInlineSection,
                            "is of the inline layout, but the file has the split layout");
    }
    if (!file.build_id_note.empty() && build_id_text(file.build_id_note).empty())
        return image->error(kBuildIdSection, "is not a build-id note");
    if (base.size() % sizeof(BaseIdentity) != 0 ||
        base.size() > kMaxBaseLevels * sizeof(BaseIdentity))
        return image->error(kBaseSection,
                            fmt::format("{} bytes, not {} for each of up to {} levels", base.size(),
                                        sizeof(BaseIdentity), kMaxBaseLevels));
    file.base.resize(base.size() / sizeof(BaseIdentity));
    if (!base.empty())
        std::memcpy(file.base.data(), base.data(), base.size());
    if (wanted_marks.seen) {
        if (marks.size() % sizeof(uint32_t) != 0)
            return image->error(kSiteMarksSection,
                                fmt::format("{} bytes, not 4 for each", marks.size()));
        file.site_marks.emplace(marks.size() / sizeof(uint32_t));
        if (!marks.empty())
            std::memcpy(file.site_marks->data(), marks.data(), marks.size());
    }
    if (!provenance.empty()) {
        auto decoded = decode_provenance(provenance);
        if (!decoded)
            return image->error(kProvenanceSection, decoded.error().message);
        file.provenance = std::move(*decoded);
    }
    return file;
}

}  // namespace btf_extra
