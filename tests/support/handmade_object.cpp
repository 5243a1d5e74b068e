// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/handmade_object.h"

#include <bpf/btf.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>

#include "tests/support/command_run.h"
#include "tests/support/extra_writer.h"
#include "userspace/generator/generate.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/text/loc_text.h"

namespace btf_extra::test {

using namespace generator;
namespace {

struct StructType {
    const char *name;
    uint32_t size;
};
constexpr StructType kStructs[] = {{"s0", 0},   {"s3", 3},   {"s9", 9},
                                   {"s12", 12}, {"s16", 16}, {"s17", 17}};

std::string base_btf() {
    const std::unique_ptr<btf, decltype(&btf__free)> base(btf__new_empty(), &btf__free);
    btf__add_int(base.get(), "long int", 8, BTF_INT_SIGNED);
    btf__add_int(base.get(), "int", 4, BTF_INT_SIGNED);
    btf__add_int(base.get(), "char", 1, BTF_INT_SIGNED);
    btf__add_ptr(base.get(), 0);
    for (const StructType &type : kStructs)
        btf__add_struct(base.get(), type.name, type.size);
    uint32_t size = 0;
    const void *bytes = btf__raw_data(base.get(), &size);
    if (bytes == nullptr)
        throw std::runtime_error("no base BTF");
    return {static_cast<const char *>(bytes), size};
}

struct Section {
    std::string name;
    uint64_t address = 0;
    uint64_t flags = 0;
    uint32_t type = SHT_PROGBITS;
    std::string bytes{};
    uint64_t size = 0;  // size of a SHT_NOBITS section
};

template <class T> void append(std::string &out, const T &record) {
    out.append(reinterpret_cast<const char *>(&record), sizeof(record));
}

// There is one segment, with .text: elfutils finds the kernel's address by it.
std::string elf_file(std::vector<Section> sections) {
    sections.push_back({.name = ".shstrtab", .type = SHT_STRTAB});
    std::string names(1, '\0');
    std::vector<Elf64_Shdr> headers(1);
    for (const Section &section : sections) {
        headers.push_back({.sh_name = static_cast<Elf64_Word>(names.size()),
                           .sh_type = section.type,
                           .sh_flags = section.flags,
                           .sh_addr = section.address,
                           .sh_offset = 0,
                           .sh_size = section.size,
                           .sh_link = 0,
                           .sh_info = 0,
                           .sh_addralign = 1,
                           .sh_entsize = 0});
        names += section.name + '\0';
    }
    sections.back().bytes = names;

    std::string contents;
    Elf64_Phdr segment{};
    const uint64_t first = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
    for (size_t i = 0; i < sections.size(); i++) {
        Elf64_Shdr &header = headers[i + 1];
        header.sh_offset = first + contents.size();
        if (header.sh_type != SHT_NOBITS)
            header.sh_size = sections[i].bytes.size();
        if (sections[i].name == ".text")
            segment = {.p_type = PT_LOAD,
                       .p_flags = PF_R | PF_X,
                       .p_offset = header.sh_offset,
                       .p_vaddr = header.sh_addr,
                       .p_paddr = header.sh_addr,
                       .p_filesz = header.sh_size,
                       .p_memsz = header.sh_size,
                       .p_align = 1};
        contents += sections[i].bytes;
    }

    Elf64_Ehdr file{};
    std::memcpy(file.e_ident, ELFMAG, SELFMAG);
    file.e_ident[EI_CLASS] = ELFCLASS64;
    file.e_ident[EI_DATA] = ELFDATA2LSB;
    file.e_ident[EI_VERSION] = EV_CURRENT;
    file.e_type = ET_EXEC;
    file.e_machine = EM_X86_64;
    file.e_version = EV_CURRENT;
    file.e_phoff = sizeof(Elf64_Ehdr);
    file.e_shoff = first + contents.size();
    file.e_ehsize = sizeof(Elf64_Ehdr);
    file.e_phentsize = sizeof(Elf64_Phdr);
    file.e_phnum = 1;
    file.e_shentsize = sizeof(Elf64_Shdr);
    file.e_shnum = static_cast<Elf64_Half>(headers.size());
    file.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    std::string out;
    append(out, file);
    append(out, segment);
    out += contents;
    for (const Elf64_Shdr &header : headers)
        append(out, header);
    return out;
}

std::vector<Section> with_dwarf(std::vector<Section> sections, DwarfBuilder &dwarf) {
    for (const auto &[name, bytes] : dwarf.sections())
        sections.push_back({.name = name, .bytes = std::string(bytes.begin(), bytes.end())});
    sections.push_back({.name = ".note.gnu.build-id",
                        .type = SHT_NOTE,
                        .bytes = std::string("\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\1\2\3\4", 20)});
    return sections;
}

std::string param_text(const Parameter &param) {
    if (param.loc == nullptr)
        return fmt::format("{}=<{}>", param.name,
                           param.reason ? text(*param.reason) : std::string_view("no reason"));
    std::string size = param.loc->size == 8 ? "" : fmt::format(":{}", param.loc->size);
    return fmt::format("{}={}{}", param.name, loc_text(param.loc), size);
}

std::string sites_text(const ObjectView &view) {
    std::string out;
    for (uint32_t number = 0; number < view.index().nr_sites; number++) {
        const loc_section *section = nullptr;
        const loc_site *site = loc_index_site(&view.index(), number, &section);
        std::string params;
        for (const Parameter &param : view.parameters(number))
            params += (params.empty() ? "" : ", ") + param_text(param);
        if (view.is_variadic(site->func))
            params += params.empty() ? "..." : ", ...";
        out += fmt::format("{}{}+{:#x} {}({})\n",
                           section->loc_class == LOC_CLASS_INLINE ? "inline" : "func",
                           view.index().elf_sections[section->elf].name, site->offset,
                           view.func_name(site->func), params);
    }
    return out;
}

}  // namespace

std::vector<Entry> base_type_entries() {
    const auto base_type = [](const char *label, const char *name, uint8_t size, uint8_t encoding) {
        return entry(DW_TAG_base_type,
                     {attr::text(DW_AT_name, name), attr::byte(DW_AT_byte_size, size),
                      attr::byte(DW_AT_encoding, encoding)})
            .labelled(label);
    };
    std::vector<Entry> entries;
    entries.push_back(base_type("long", "long int", 8, DW_ATE_signed));
    entries.push_back(base_type("int", "int", 4, DW_ATE_signed));
    entries.push_back(base_type("char", "char", 1, DW_ATE_signed_char));
    entries.push_back(
        entry(DW_TAG_pointer_type, {attr::byte(DW_AT_byte_size, 8)}).labelled("void*"));
    for (const StructType &type : kStructs)
        entries.push_back(entry(DW_TAG_structure_type,
                                {attr::text(DW_AT_name, type.name),
                                 attr::byte(DW_AT_byte_size, static_cast<uint8_t>(type.size))})
                              .labelled(type.name));
    return entries;
}

Entry c_unit(std::vector<Entry> children, std::vector<Attribute> more) {
    std::vector<Attribute> attributes = {attr::text(DW_AT_name, "a.c"),
                                         attr::text(DW_AT_comp_dir, "/src"),
                                         attr::byte(DW_AT_language, DW_LANG_C11)};
    const auto has = [&](uint16_t name) {
        return std::ranges::find(more, name, &Attribute::name) != more.end();
    };
    if (!has(DW_AT_low_pc))
        attributes.push_back(attr::address(DW_AT_low_pc, kCode));
    if (!has(DW_AT_producer))
        attributes.push_back(attr::text(DW_AT_producer, "GNU C11 12.2.0 -O2"));
    attributes.insert(attributes.end(), more.begin(), more.end());
    for (Entry &child : children)
        if (child.tag == DW_TAG_subprogram &&
            std::ranges::find(child.attributes, DW_AT_prototyped, &Attribute::name) ==
                child.attributes.end())
            child.attributes.push_back(attr::flag(DW_AT_prototyped));
    std::vector<Entry> all = base_type_entries();
    all.insert(all.end(), std::make_move_iterator(children.begin()),
               std::make_move_iterator(children.end()));
    return entry(DW_TAG_compile_unit, attributes, std::move(all));
}

Entry abstract(const std::string &name, const std::vector<ParamDecl> &params, bool variadic) {
    std::vector<Entry> children;
    for (const ParamDecl &param : params)
        children.push_back(entry(DW_TAG_formal_parameter, {attr::text(DW_AT_name, param.name),
                                                           attr::to(DW_AT_type, param.type)})
                               .labelled(name + "." + param.name));
    if (variadic)
        children.push_back(entry(DW_TAG_unspecified_parameters, {}));
    return entry(DW_TAG_subprogram,
                 {attr::text(DW_AT_name, name), attr::byte(DW_AT_inline, DW_INL_declared_inlined)},
                 std::move(children))
        .labelled(name);
}

Entry body(const std::string &name, uint64_t low_pc, std::vector<Entry> children,
           std::vector<Attribute> more) {
    more.insert(more.begin(),
                {attr::text(DW_AT_name, name), attr::address(DW_AT_low_pc, low_pc),
                 attr::number(DW_AT_high_pc, DW_FORM_data4, 0x100), attr::flag(DW_AT_prototyped)});
    return entry(DW_TAG_subprogram, std::move(more), std::move(children));
}

Entry inlined(const std::string &function, std::vector<Attribute> where,
              std::vector<Entry> children) {
    where.insert(where.begin(), attr::to(DW_AT_abstract_origin, function));
    return entry(DW_TAG_inlined_subroutine, std::move(where), std::move(children));
}

Entry param(const std::string &origin, std::vector<Attribute> attributes) {
    attributes.insert(attributes.begin(), attr::to(DW_AT_abstract_origin, origin));
    return entry(DW_TAG_formal_parameter, std::move(attributes));
}

HandmadeObject &HandmadeObject::add(const std::string &section, const Expr &bytes) {
    std::vector<uint8_t> &out = dwarf.section(section);
    out.insert(out.end(), bytes.bytes.begin(), bytes.bytes.end());
    return *this;
}

Outcome HandmadeObject::generate() {
    const uint64_t size = 0x1000;
    const std::string zeros(size, '\0');
    const std::string btf = base_btf();
    std::vector<Section> sections = {
        {".data..percpu", kPerCpuData, SHF_ALLOC | SHF_WRITE, SHT_PROGBITS, zeros},
        {".text", kCode, SHF_ALLOC | SHF_EXECINSTR, SHT_PROGBITS, zeros},
        {".data", kData, SHF_ALLOC | SHF_WRITE, SHT_PROGBITS, zeros},
        {".bss", kBss, SHF_ALLOC | SHF_WRITE, SHT_NOBITS, "", size},
        {".init.text", kInitCode, SHF_ALLOC | SHF_EXECINSTR, SHT_PROGBITS, zeros},
        {".BTF", 0, 0, SHT_PROGBITS, btf},
    };
    const TemporaryFolder folder;
    const std::string path = folder.path("vmlinux");
    std::vector<Section> alternate_sections = sections;
    write_file(path, elf_file(with_dwarf(std::move(sections), dwarf)));
    if (!alternate.sections().empty())
        write_file(folder.path(alternate_name),
                   elf_file(with_dwarf(std::move(alternate_sections), alternate)));
    const auto failed = [&](std::string message) {
        if (message.starts_with(path + ": "))
            message.erase(0, path.size() + 2);
        return Outcome{.text = "error: " + message + "\n"};
    };
    GenerateOptions options;
    options.input = path;
    const Result<ExtraFile> file = generator::generate(options);
    if (!file)
        return failed(file.error().message);
    const std::string extra_path = folder.path("vmlinux.btf_extra");
    if (const Result<void> written = write_extra_file(extra_path, *file); !written)
        return failed(written.error().message);
    const auto view = ObjectView::open_with_base(extra_path, path);
    if (!view)
        return failed(view.error().message);
    Outcome outcome{.text = sites_text(**view),
                    .inline_instances = file->provenance->inline_instances,
                    .skipped_rust_units = file->provenance->skipped_rust_units,
                    .contradicted = file->provenance->contradicted};
    const loc_index &index = (*view)->index();
    for (const uint32_t func : std::span(index.funcs, index.nr_funcs))
        outcome.files[std::string((*view)->func_name(func))] =
            (*view)->func_file(func).value_or("");
    return outcome;
}

}  // namespace btf_extra::test
