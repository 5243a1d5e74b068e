// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/extra_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>
#include <libelf.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/elf_image.h"
#include "userspace/format/file_descriptor.h"
#include "userspace/format/opened_blobs.h"

namespace btf_extra {
namespace {

constexpr uint64_t kKeptFlags = SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE | EXTRA_SHF_BEHIND_HOOKS;

struct NewSection {
    std::string_view name;
    uint32_t type;
    uint64_t align;
    std::span<const std::byte> bytes;  // empty for SHT_NOBITS
    uint64_t flags = 0;
    uint64_t address = 0;
    uint64_t size = 0;  // size of a SHT_NOBITS section
};

bool write_elf(int fd, uint16_t type, uint16_t machine, const std::vector<NewSection> &sections) {
    std::unique_ptr<Elf, decltype(&elf_end)> elf(elf_begin(fd, ELF_C_WRITE, nullptr), elf_end);
    if (!elf)
        return false;
    Elf64_Ehdr *header = elf64_newehdr(elf.get());
    if (header == nullptr)
        return false;
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_type = type;
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

std::vector<NewSection> sections_of(const ExtraFile &file, const std::vector<std::byte> &variables,
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
    add(kBuildIdSection, SHT_NOTE, file.build_id_note);
    add(kBaseSection, SHT_PROGBITS, std::as_bytes(std::span(file.base)));
    if (file.site_marks)  // also if there are none
        sections.push_back({kSiteMarksSection, SHT_PROGBITS, 8, file.site_marks->bytes()});
    add(kExpressionsSection, SHT_PROGBITS, file.expressions);
    if (file.own_types)
        add(kOwnTypesSection, SHT_PROGBITS, std::as_bytes(std::span(&*file.own_types, 1)));
    add(kFramesSection, SHT_PROGBITS, file.frames);
    for (const ObjectSection &section : file.sections)
        add_header(section);
    if (file.vmlinux_btf)
        add_header(*file.vmlinux_btf);
    add(kLinesSection, SHT_PROGBITS, file.lines);
    add(kVariablesSection, SHT_PROGBITS, variables);
    add(kProvenanceSection, SHT_PROGBITS, provenance);
    return sections;
}

Result<std::vector<std::byte>> elf_bytes(const std::string &path, uint16_t type, uint16_t machine,
                                         const std::vector<NewSection> &sections) {
    elf_version(EV_CURRENT);
    errno = 0;
    const FileDescriptor memory(memfd_create("btf_extra", MFD_CLOEXEC));
    std::vector<std::byte> bytes;
    if (memory && write_elf(memory.get(), type, machine, sections)) {
        bytes.resize(static_cast<size_t>(lseek(memory.get(), 0, SEEK_END)));
        if (pread(memory.get(), bytes.data(), bytes.size(), 0) ==
            static_cast<ssize_t>(bytes.size()))
            return bytes;
    }
    const int code = errno;
    return Error{
        fmt::format("{}: output: {}", path, code != 0 ? std::strerror(code) : elf_errmsg(-1)),
        code};
}

}  // namespace

Result<std::vector<std::byte>> extra_file_bytes(const std::string &path, const ExtraFile &file) {
    const auto variables = file.variables ? encode(*file.variables) : std::vector<std::byte>();
    const auto provenance = file.provenance ? encode(*file.provenance) : std::vector<std::byte>();
    return elf_bytes(path, ET_REL, file.machine, sections_of(file, variables, provenance));
}

Result<std::vector<std::byte>> carrier_bytes(const std::string &path, const ExtraFile &file) {
    // elfutils 0.188's debuginfod wants one section with bytes that is loaded.
    return elf_bytes(path, ET_DYN, file.machine,
                     {{kBuildIdSection, SHT_NOTE, 4, file.build_id_note},
                      {kCarriedSection, SHT_PROGBITS, 8, file.container, SHF_ALLOC}});
}

namespace {

std::span<const std::byte> span_of(const extra_bytes &bytes) {
    return {static_cast<const std::byte *>(bytes.data), bytes.size};
}

// The sections of the object that the file describes.
void take_sections(const extra_elf &elf, ExtraFile &file) {
    extra_section section;
    for (uint32_t i = 0; i < elf.nr_headers; i++) {
        if (!extra_elf_section(&elf, i, &section))
            continue;
        ObjectSection header = {section.name, section.flags & kKeptFlags, section.address,
                                section.size};
        if (header.name == kVmlinuxBtfSection)
            file.vmlinux_btf = std::move(header);
        else if ((section.flags & SHF_EXECINSTR) != 0 && (section.flags & SHF_ALLOC) != 0)
            file.sections.push_back(std::move(header));
    }
}

// Returns the bytes of a section that the core does not know; none: it is missing.
Result<std::span<const std::byte>> part_of(const std::string &path, const extra_elf &elf,
                                           const char *name) {
    extra_bytes bytes = {};
    btf_fault fault = {};
    if (extra_elf_part(&elf, name, &bytes, &fault) != 0)
        return Error{fmt::format("{}: {}", path, fault_text(fault))};
    return span_of(bytes);
}

bool is_shared_object(std::span<const std::byte> bytes) {
    Elf64_Ehdr header;
    if (bytes.size() < sizeof(header))
        return false;
    std::memcpy(&header, bytes.data(), sizeof(header));
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_DYN;
}

Result<void> take_provenance(const std::string &path, const extra_elf &elf, ExtraFile &file) {
    const auto bytes = TRY(part_of(path, elf, kProvenanceSection));
    if (bytes.data() == nullptr)
        return {};
    auto decoded = decode_provenance(bytes);
    if (!decoded)
        return Error{fmt::format("{}: {}: {}", path, kProvenanceSection, decoded.error().message)};
    file.provenance = std::move(*decoded);
    return {};
}

Result<void> take_variables(const std::string &path, const extra_elf &elf, ExtraFile &file) {
    const auto bytes = TRY(part_of(path, elf, kVariablesSection));
    if (bytes.data() == nullptr)
        return {};
    auto decoded = decode_variables(bytes);
    if (!decoded)
        return Error{fmt::format("{}: {}: {}", path, kVariablesSection, decoded.error().message)};
    file.variables = std::move(*decoded);
    return {};
}

}  // namespace

Result<std::optional<LineTable>> open_lines(const std::string &path, const ExtraFile &file) {
    if (file.lines.empty())
        return std::optional<LineTable>();
    auto opened = LineTable::open(file.lines);
    if (!opened)
        return Error{fmt::format("{}: {}: {}", path, kLinesSection, opened.error().message)};
    return std::optional(std::move(*opened));
}

Result<std::vector<std::byte>> carried_container(const std::string &where,
                                                 std::vector<std::byte> carrier) {
    const auto elf = TRY(ElfImage::from_bytes(where, std::move(carrier)));
    const ElfSection *section = elf.find(kCarriedSection);
    if (section == nullptr)
        return elf.error(kCarriedSection, "not there");
    const auto carried = TRY(elf.bytes(*section));
    return std::vector(carried.begin(), carried.end());
}

Result<ExtraFile> read_extra_file(const std::string &path, FileParts parts) {
    auto container = TRY(read_whole_file(path));
    if (is_shared_object(container))
        container = TRY(carried_container(path, std::move(container)));
    extra_elf elf;
    TRY(open_container(path, container, elf));
    ExtraFile file;
    file.parts = parts;
    file.machine = static_cast<uint16_t>(elf.machine);
    file.types = items_of<std::byte>(span_of(elf.types));
    file.func_info = items_of<std::byte>(span_of(elf.func_info));
    const auto *build_id = static_cast<const std::byte *>(elf.build_id.data);
    file.build_id_note.assign(build_id - BUILD_ID_NOTE_HEADER, build_id + elf.build_id.size);
    file.base = items_of<BaseIdentity>(span_of(elf.bases));
    if (elf.site_marks.data != nullptr)
        file.site_marks = SiteMarkList::from_bytes(items_of<std::byte>(span_of(elf.site_marks)));
    file.expressions = items_of<std::byte>(span_of(elf.expressions));
    file.frames = items_of<std::byte>(span_of(elf.frames));
    take_sections(elf, file);
    if (parts != FileParts::kPlaces) {
        const auto lines = TRY(part_of(path, elf, kLinesSection));
        file.lines = items_of<std::byte>(lines);
        if (parts != FileParts::kSites)
            TRY(take_variables(path, elf, file));
        TRY(take_provenance(path, elf, file));
    }
    file.container = std::move(container);
    return file;
}

}  // namespace btf_extra
