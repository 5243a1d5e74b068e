// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Measures the least that reading all DWARF of a file with libdw costs: it visits every entry and
// every attribute in one thread, and prints what it counted:
//
//   libdw_walk FILE
//   units=N entries=N attributes=N inlined=N
//
// inlined is the number of DW_TAG_inlined_subroutine entries with an address. Entries in Rust units
// and in bodies without a symbol (weak definitions that another one overrides) do not count. This
// uses no code of the generator, which must come to the same number.
#include <cstdint>
#include <cstdio>
#include <unordered_set>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>

namespace {

struct Counts {
    uint64_t units = 0;
    uint64_t entries = 0;
    uint64_t attributes = 0;
    uint64_t inlined = 0;
};

struct Entry {
    Counts *counts;
    bool has_address;
    bool has_ranges;
};

int visit_attribute(Dwarf_Attribute *attribute, void *argument) {
    auto *entry = static_cast<Entry *>(argument);
    entry->counts->attributes++;
    unsigned name = dwarf_whatattr(attribute);
    if (name == DW_AT_low_pc || name == DW_AT_entry_pc)
        entry->has_address = true;
    if (name == DW_AT_ranges)
        entry->has_ranges = true;
    return DWARF_CB_OK;
}

// A list with only empty ranges gives no address.
bool has_code(Dwarf_Die &die) {
    Dwarf_Addr base, begin, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0)
        if (begin < end)
            return true;
    return false;
}

using Symbols = std::unordered_set<uint64_t>;  // addresses of code

Symbols symbols_of(Elf *elf) {
    Symbols symbols;
    Elf_Scn *section = nullptr;
    while ((section = elf_nextscn(elf, section)) != nullptr) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB)
            continue;
        Elf_Data *data = elf_getdata(section, nullptr);
        GElf_Sym symbol;
        for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr; i++)
            if (symbol.st_shndx != SHN_UNDEF && (GELF_ST_TYPE(symbol.st_info) == STT_FUNC ||
                                                 GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE))
                symbols.insert(symbol.st_value);
    }
    return symbols;
}

bool is_nameless_body(Dwarf_Die &die, const Symbols &symbols) {
    if (dwarf_tag(&die) != DW_TAG_subprogram)
        return false;
    Dwarf_Addr base, end, entry;
    // A body in several parts has only ranges, and the first range is its beginning.
    if (dwarf_entrypc(&die, &entry) != 0 && dwarf_ranges(&die, 0, &base, &entry, &end) <= 0)
        return false;
    return !symbols.contains(entry);
}

// Visits the entry and all entries below it. Returns false if libdw finds it malformed.
bool visit(Dwarf_Die die, bool skipped, const Symbols &symbols, Counts &counts) {
    for (;;) {
        Entry entry = {&counts, false, false};
        counts.entries++;
        if (dwarf_getattrs(&die, visit_attribute, &entry, 0) == -1)
            return false;
        if (!skipped && dwarf_tag(&die) == DW_TAG_inlined_subroutine &&
            (entry.has_address || (entry.has_ranges && has_code(die))))
            counts.inlined++;

        Dwarf_Die next;
        int end = dwarf_child(&die, &next);
        const bool skip = skipped || is_nameless_body(die, symbols);
        if (end < 0 || (end == 0 && !visit(next, skip, symbols, counts)))
            return false;
        end = dwarf_siblingof(&die, &next);
        if (end != 0)
            return end > 0;
        die = next;
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fputs("usage: libdw_walk FILE\n", stderr);
        return 2;
    }
    int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = fd < 0 ? nullptr : dwarf_begin(fd, DWARF_C_READ);
    if (dwarf == nullptr) {
        std::fprintf(stderr, "libdw_walk: %s: no DWARF to be read\n", argv[1]);
        return 1;
    }
    const Symbols symbols = symbols_of(dwarf_getelf(dwarf));
    Counts counts;
    Dwarf_CU *unit = nullptr;
    Dwarf_Die top;
    int more;
    while ((more = dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &top, nullptr)) == 0) {
        counts.units++;
        if (!visit(top, dwarf_srclang(&top) == DW_LANG_Rust, symbols, counts))
            break;
    }
    if (more <= 0) {
        std::fprintf(stderr, "libdw_walk: %s: %s\n", argv[1], dwarf_errmsg(-1));
        return 1;
    }
    std::printf("units=%ju entries=%ju attributes=%ju inlined=%ju\n", uintmax_t{counts.units},
                uintmax_t{counts.entries}, uintmax_t{counts.attributes}, uintmax_t{counts.inlined});
    return 0;
}
