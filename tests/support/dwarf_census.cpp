// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Independent witnesses: libdw finds sites, and objdump finds jumps.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/fixture_build.h"
#include "tests/support/libdw_copies.h"

namespace btf_extra::test {
namespace {

std::string name_of(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    return name != nullptr ? name : "?";
}

// Called for a body or an inlined instance and a place where it begins. If there are several dies,
// one of them begins there. is_entry: DW_AT_entry_pc or the line table says so.
using Visit = std::function<void(std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool is_entry)>;

bool is_body(Dwarf_Die *die) {
    return dwarf_tag(die) == DW_TAG_subprogram;
}

// Says whether the compiler of a unit marks entries. This machine's GCC does, unless for -flto.
bool marks_entries(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    return producer != nullptr && std::string_view(producer).starts_with("GNU C");
}

// entries is null if the unit has no marks.
void walk(Dwarf_Die *die, const LibdwEntries *entries, const Visit &visit) {
    Dwarf_Attribute attribute;
    if (is_body(die) || dwarf_tag(die) == DW_TAG_inlined_subroutine)
        if (const auto entry = libdw_entry(die))
            visit({die, 1}, *entry,
                  is_body(die) ||
                      (entries && (dwarf_attr(die, DW_AT_entry_pc, &attribute) != nullptr ||
                                   entries->unmarked.contains(dwarf_dieoffset(die)))));
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do
        walk(&child, entries, visit);
    while (dwarf_siblingof(&child, &child) == 0);
}

void walk_file(const std::string &path, const Visit &visit) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = fd < 0 ? nullptr : dwarf_begin(fd, DWARF_C_READ);
    if (dwarf == nullptr)
        throw std::runtime_error(fmt::format("{}: {}", path, dwarf_errmsg(-1)));
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        LibdwEntries entries = libdw_entries(die);
        const bool marked = marks_entries(&die);
        walk(&die, marked ? &entries : nullptr, visit);
        if (!marked)
            continue;
        for (LibdwCopy &copy : entries.copies)
            visit(copy.instances, copy.address, true);
    }
    dwarf_end(dwarf);
    close(fd);
}

std::vector<std::string> sorted_once(std::vector<std::string> lines) {
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

// Maps the target of each direct jump to the jump's address. objdump prints lines like "
// 401012:\tjne    40100b <f+0xb>" and "  400010:\ttbnz\tw0, #3, 400004 <f+0x4>".
std::multimap<uint64_t, uint64_t> jumps_by_objdump(const std::string &path, bool arm64) {
    const char *jumps = arm64 ? "$2 ~ /^(b|b\\.[a-z]+|cbn?z|tbn?z)$/"
                              : "$2 ~ /^([a-z]+ )*(j|loop)[a-z]*(,p[tn])? +[0-9a-f]+ </";
    const CommandResult lines = run_command(
        {"sh", "-c", R"("$0" -d --no-show-raw-insn "$1" | awk -F '\t' "$2")",
         arm64 ? "aarch64-linux-gnu-objdump" : "objdump", path,
         fmt::format("{} {{ text = $2 \" \" $3; sub(/ <.*/, \"\", text); sub(/:/, \"\", $1); "
                     "n = split(text, words, \" \"); print $1, words[n] }}",
                     jumps)});
    std::multimap<uint64_t, uint64_t> out;
    std::istringstream in(lines.out);
    in >> std::hex;
    for (uint64_t from = 0, to = 0; in >> from >> to;)
        out.emplace(to, from);
    if (!in.eof())
        throw std::runtime_error("objdump prints jumps in another way");
    return out;
}

// Returns the declaration of the function that an instance or body belongs to.
Dwarf_Off origin_of(Dwarf_Die *die) {
    Dwarf_Die origin = *die;
    Dwarf_Attribute attribute;
    while (dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) != nullptr)
        if (dwarf_formref_die(&attribute, &origin) == nullptr)
            break;
    return dwarf_dieoffset(&origin);
}

// Returns true if the inlined function is called where it is declared.
bool called_at_declaration(Dwarf_Die *die) {
    const std::pair<unsigned, unsigned> pairs[] = {{DW_AT_call_file, DW_AT_decl_file},
                                                   {DW_AT_call_line, DW_AT_decl_line},
                                                   {DW_AT_call_column, DW_AT_decl_column}};
    return std::ranges::all_of(pairs, [&](const auto &pair) {
        Dwarf_Attribute attribute;
        Dwarf_Word called = 0, declared = 0;
        dwarf_formudata(dwarf_attr(die, pair.first, &attribute), &called);
        dwarf_formudata(dwarf_attr_integrate(die, pair.second, &attribute), &declared);
        return called == declared;
    });
}

// Returns true if, in addition, the instance is in code of the same function, and not before its
// beginning.
bool goes_on(Dwarf_Die *die) {
    // libdw searches the whole unit for the scopes, so this is only done for a few instances.
    if (!called_at_declaration(die))
        return false;
    Dwarf_Die *scopes = nullptr;
    const int count = dwarf_getscopes_die(die, &scopes);
    Dwarf_Off around = 0;
    bool behind = false;
    for (int i = 1; i < count && around == 0; i++)
        if (dwarf_tag(&scopes[i]) != DW_TAG_lexical_block) {
            around = origin_of(&scopes[i]);
            behind = libdw_entry(&scopes[i]) <= libdw_entry(die);
        }
    free(scopes);
    return around == origin_of(die) && behind;
}

}  // namespace

std::vector<std::string> dwarf_census(const std::string &path) {
    std::vector<std::string> out;
    walk_file(path, [&](std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool) {
        out.push_back(fmt::format("{}@{:x} {}", name_of(&dies[0]), entry,
                                  is_body(&dies[0]) ? "body" : "inline"));
    });
    return sorted_once(std::move(out));
}

MarkedPlaces mark_census(const std::string &path) {
    // The lines look like "ffffffff813ac7b0 t foo.isra.0.part.1".
    const CommandResult lines = run_command(
        {"sh", "-c",
         R"(nm "$0" | sed -n '/\.cold/!s/^\([0-9a-f]*\) [tT] \([^.]*\)\..*part\.[0-9].*/\1 \2/p')",
         path});
    std::set<std::pair<uint64_t, std::string>> symbols;
    std::istringstream in(lines.out);
    in >> std::hex;
    std::string function;
    for (uint64_t address = 0; in >> address >> function;)
        symbols.emplace(address, function);
    MarkedPlaces places;
    walk_file(path, [&](std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool is_entry) {
        const std::string name = name_of(&dies[0]);
        const bool part = std::ranges::all_of(dies, [&](Dwarf_Die &die) {
            return is_body(&die) ? symbols.contains({entry, name}) : goes_on(&die);
        });
        places.add(fmt::format("{}@{:x}", name, entry), part, !is_entry);
    });
    return places;
}

JumpCensus jump_census(const std::string &path, bool arm64) {
    const std::multimap<uint64_t, uint64_t> jumps = jumps_by_objdump(path, arm64);
    JumpCensus census;
    walk_file(path, [&](std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool) {
        const auto [first, last] = jumps.equal_range(entry);
        if (is_body(&dies[0]) || first == last)
            return;
        bool own = false;
        Dwarf_Addr base = 0, start = 0, end = 0;
        for (Dwarf_Die &die : dies)
            for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;)
                own |= std::any_of(first, last, [&](const auto &jump) {
                    return jump.second >= start && jump.second < end;
                });
        (own ? census.from_inside : census.from_outside)
            .push_back(fmt::format("{}@{:x}", name_of(&dies[0]), entry));
    });
    census.from_inside = sorted_once(std::move(census.from_inside));
    census.from_outside = sorted_once(std::move(census.from_outside));
    return census;
}

}  // namespace btf_extra::test
