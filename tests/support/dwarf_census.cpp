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

// The scopes and the entries of one unit.
struct UnitScopes {
    bool marked = false;  // the compiler marks entries
    LibdwEntries entries;
    std::vector<Dwarf_Die> bodies;
    std::map<Dwarf_Off, Dwarf_Die> around;                // the function or instance around one
    std::map<Dwarf_Off, std::vector<Dwarf_Addr>> copies;  // of an instance
};

// Called for a body or an inlined instance and a place where it begins. If there are several dies,
// one of them begins there. is_entry: DW_AT_entry_pc or the line table says so.
using Visit = std::function<void(std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool is_entry,
                                 const UnitScopes &unit)>;

bool is_body(Dwarf_Die *die) {
    return dwarf_tag(die) == DW_TAG_subprogram;
}

// Returns true if the compiler of a unit marks entries. This machine's GCC does, unless for -flto.
bool marks_entries(Dwarf_Die *unit) {
    Dwarf_Attribute attribute;
    const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    return producer != nullptr && std::string_view(producer).starts_with("GNU C");
}

void find_scopes(Dwarf_Die *die, const Dwarf_Die *around, UnitScopes &unit) {
    const bool is_scope = is_body(die) || dwarf_tag(die) == DW_TAG_inlined_subroutine;
    if (is_body(die))
        unit.bodies.push_back(*die);
    if (is_scope && around != nullptr)
        unit.around.emplace(dwarf_dieoffset(die), *around);
    const Dwarf_Die self = *die;
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do
        find_scopes(&child, is_scope ? &self : around, unit);
    while (dwarf_siblingof(&child, &child) == 0);
}

// Says whether DW_AT_entry_pc or the line table says where an instance is entered.
bool has_mark(Dwarf_Die *die, const UnitScopes &unit) {
    Dwarf_Attribute attribute;
    return unit.marked && (dwarf_attr(die, DW_AT_entry_pc, &attribute) != nullptr ||
                           unit.entries.unmarked.contains(dwarf_dieoffset(die)));
}

void walk(Dwarf_Die *die, const UnitScopes &unit, const Visit &visit) {
    if (is_body(die) || dwarf_tag(die) == DW_TAG_inlined_subroutine)
        if (const auto entry = libdw_entry(die))
            visit({die, 1}, *entry, is_body(die) || has_mark(die, unit), unit);
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do
        walk(&child, unit, visit);
    while (dwarf_siblingof(&child, &child) == 0);
}

// flow may be null.
void walk_file(const std::string &path, const ObjdumpFlow *flow, const Visit &visit) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = fd < 0 ? nullptr : dwarf_begin(fd, DWARF_C_READ);
    if (dwarf == nullptr)
        throw std::runtime_error(fmt::format("{}: {}", path, dwarf_errmsg(-1)));
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        UnitScopes scopes;
        scopes.marked = marks_entries(&die);
        if (flow != nullptr)
            find_scopes(&die, nullptr, scopes);
        scopes.entries = libdw_entries(die, flow);
        if (scopes.marked)
            for (LibdwCopy &copy : scopes.entries.copies)
                for (Dwarf_Die &instance : copy.instances)
                    if (copy.is_entry)
                        scopes.copies[dwarf_dieoffset(&instance)].push_back(copy.address);
        walk(&die, scopes, visit);
        if (!scopes.marked)
            continue;
        for (LibdwCopy &copy : scopes.entries.copies)
            visit(copy.instances, copy.address, copy.is_entry, scopes);
    }
    dwarf_end(dwarf);
    close(fd);
}

std::vector<std::string> sorted_once(std::vector<std::string> lines) {
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
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

// Returns the instance around, if the two are of one function and the inner one is called where
// that is declared.
std::optional<Dwarf_Die> beginning_of(Dwarf_Die *die, const UnitScopes &unit) {
    const auto around = unit.around.find(dwarf_dieoffset(die));
    if (is_body(die) || around == unit.around.end() || !called_at_declaration(die))
        return std::nullopt;
    Dwarf_Die outer = around->second;
    return origin_of(&outer) == origin_of(die) ? std::optional(outer) : std::nullopt;
}

AddressRanges ranges_of(Dwarf_Die *die) {
    AddressRanges out;
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        out.emplace_back(start, end);
    return out;
}

// Keeps the graphs of the last bodies.
class Bodies {
  public:
    explicit Bodies(const ObjdumpFlow &flow) : flow_(flow) {}

    const ObjdumpBody &around(Dwarf_Die *die, const UnitScopes &unit) {
        Dwarf_Die body = *die;
        while (!is_body(&body))
            body = unit.around.at(dwarf_dieoffset(&body));
        return of(&body);
    }

  private:
    const ObjdumpBody &of(Dwarf_Die *body) {
        constexpr size_t kMost = 500;
        if (bodies_.size() > kMost)
            bodies_.clear();
        const auto [found, fresh] = bodies_.try_emplace(dwarf_dieoffset(body));
        if (fresh)
            found->second = flow_.body(ranges_of(body), libdw_entry(body).value_or(0));
        return found->second;
    }

    const ObjdumpFlow &flow_;
    std::map<Dwarf_Off, ObjdumpBody> bodies_;
};

bool has_remainder(Dwarf_Die *die, const UnitScopes &unit) {
    return std::ranges::any_of(unit.around, [&](const auto &each) {
        Dwarf_Die inner, outer = each.second;
        return dwarf_dieoffset(&outer) == dwarf_dieoffset(die) &&
               dwarf_offdie(dwarf_cu_getdwarf(die->cu), each.first, &inner) != nullptr &&
               beginning_of(&inner, unit);
    });
}

using PartSymbols = std::set<std::pair<uint64_t, std::string>>;  // of bodies foo.part.0

// Returns the other instances of a remainder's function in the same body that have no remainder.
// There are none if the remainder of another one may be a call.
std::vector<Dwarf_Die> other_beginnings(Dwarf_Die *die, const UnitScopes &unit,
                                        const PartSymbols &symbols) {
    std::vector<Dwarf_Die> out;
    if (std::ranges::any_of(unit.bodies, [&](Dwarf_Die body) {
            return origin_of(&body) == origin_of(die) &&
                   symbols.contains({libdw_entry(&body).value_or(0), name_of(&body)});
        }))
        return out;
    const auto body_of = [&](Dwarf_Die inner) {
        while (!is_body(&inner))
            inner = unit.around.at(dwarf_dieoffset(&inner));
        return dwarf_dieoffset(&inner);
    };
    Dwarf_Die mine = unit.around.at(dwarf_dieoffset(die));
    for (const auto &[offset, _] : unit.around) {
        Dwarf_Die other;
        if (offset != dwarf_dieoffset(&mine) &&
            dwarf_offdie(dwarf_cu_getdwarf(die->cu), offset, &other) != nullptr &&
            !is_body(&other) && origin_of(&other) == origin_of(die) &&
            body_of(other) == body_of(*die) && !beginning_of(&other, unit) && libdw_entry(&other) &&
            has_mark(&other, unit) && !has_remainder(&other, unit))
            out.push_back(other);
    }
    return out;
}

// Says how a call that begins at an address in a remainder goes with those that its beginnings
// begin. The place where the instance around begins continues its own call.
ObjdumpBody::Order remainder_order(Dwarf_Die *die, Dwarf_Addr address, const UnitScopes &unit,
                                   Bodies &bodies, const PartSymbols &symbols) {
    std::vector<Dwarf_Addr> beginnings;
    std::optional<Dwarf_Die> inner = *die;
    while (auto outer = beginning_of(&*inner, unit)) {
        const auto entry = libdw_entry(&*outer);
        if (inner && dwarf_dieoffset(&*inner) == dwarf_dieoffset(die) && entry == address)
            return ObjdumpBody::kAfter;
        if (entry)
            beginnings.push_back(*entry);
        if (const auto copies = unit.copies.find(dwarf_dieoffset(&*outer));
            copies != unit.copies.end())
            beginnings.insert(beginnings.end(), copies->second.begin(), copies->second.end());
        inner = outer;
    }
    std::erase(beginnings, address);
    const ObjdumpBody &graph = bodies.around(die, unit);
    const ObjdumpBody::Order order = graph.order(address, beginnings);
    if (order == ObjdumpBody::kAfter)
        return order;
    std::vector<uint64_t> leading;
    for (Dwarf_Die &other : other_beginnings(die, unit, symbols)) {
        std::set<uint64_t> entries{*libdw_entry(&other)};
        if (const auto copies = unit.copies.find(dwarf_dieoffset(&other));
            copies != unit.copies.end())
            entries.insert(copies->second.begin(), copies->second.end());
        for (const uint64_t entry : entries)
            if (const auto test = graph.test_of_block(entry);
                test && inside(ranges_of(&other), *test) &&
                std::ranges::count(graph.next.at(*test), address) != 0)
                leading.push_back(*test);
    }
    return leading.empty() ? order : graph.order(address, beginnings, leading);
}

// Returns true if an instance is entered in a piece that is not that of its body's entry, and its
// code in that piece runs before the entry or without it.
bool is_entered_late(Dwarf_Die *die, Dwarf_Addr entry, const UnitScopes &unit, Bodies &bodies) {
    Dwarf_Die body = *die;
    while (!is_body(&body))
        body = unit.around.at(dwarf_dieoffset(&body));
    std::pair<Dwarf_Addr, Dwarf_Addr> likely;
    for (const auto &piece : ranges_of(&body))
        if (inside({piece}, libdw_entry(&body).value_or(0)))
            likely = piece;
    AddressRanges code;
    for (const auto &range : ranges_of(die))
        if (range.first < range.second && inside({likely}, range.first))
            code.push_back(range);
    if (inside({likely}, entry) || code.empty())
        return false;
    std::set<uint64_t> entries{entry};
    if (const auto copies = unit.copies.find(dwarf_dieoffset(die)); copies != unit.copies.end())
        entries.insert(copies->second.begin(), copies->second.end());
    const ObjdumpBody &graph = bodies.around(die, unit);
    return std::ranges::any_of(graph.after(graph.starts, entries), [&](uint64_t address) {
        return inside(code, address) && !entries.contains(address) && graph.next.contains(address);
    });
}

}  // namespace

std::vector<std::string> dwarf_census(const std::string &path) {
    std::vector<std::string> out;
    walk_file(path, nullptr, [&](std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool, const auto &) {
        out.push_back(fmt::format("{}@{:x} {}", name_of(&dies[0]), entry,
                                  is_body(&dies[0]) ? "body" : "inline"));
    });
    return sorted_once(std::move(out));
}

MarkedPlaces mark_census(const std::string &path, const ObjdumpFlow &flow) {
    // The lines look like "ffffffff813ac7b0 t foo.isra.0.part.1".
    const CommandResult lines = run_command(
        {"sh", "-c",
         R"(nm "$0" | sed -n '/\.cold/!s/^\([0-9a-f]*\) [tT] \([^.]*\)\..*part\.[0-9].*/\1 \2/p')",
         path});
    PartSymbols symbols;
    std::istringstream in(lines.out);
    in >> std::hex;
    std::string function;
    for (uint64_t address = 0; in >> address >> function;)
        symbols.emplace(address, function);
    MarkedPlaces places;
    Bodies bodies(flow);
    walk_file(
        path, &flow,
        [&](std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool is_entry, const UnitScopes &unit) {
            const std::string name = name_of(&dies[0]);
            const std::string place = fmt::format("{}@{:x}", name, entry);
            if (is_body(&dies[0])) {
                places.add(place, symbols.contains({entry, name}), false);
                return;
            }
            std::optional<ObjdumpBody::Order> order;
            for (Dwarf_Die &die : dies)
                if (beginning_of(&die, unit))
                    order = remainder_order(&die, entry, unit, bodies, symbols);
            // Another instance may be the one that begins there.
            const bool is_of_others =
                order == ObjdumpBody::kAfter && std::ranges::any_of(dies, [&](Dwarf_Die &die) {
                    return !beginning_of(&die, unit) && !has_remainder(&die, unit);
                });
            const bool behind = order == ObjdumpBody::kAfter && !is_of_others;
            const bool uncertain = order && *order != ObjdumpBody::kOwn && !behind;
            const bool late = dies.size() == 1 && is_entry && libdw_entry(&dies[0]) == entry &&
                              is_entered_late(&dies[0], entry, unit, bodies);
            places.add(place, behind, !is_entry || uncertain || late);
        });
    return places;
}

JumpCensus jump_census(const std::string &path, const ObjdumpFlow &flow) {
    JumpCensus census;
    Bodies bodies(flow);
    walk_file(path, &flow,
              [&](std::span<Dwarf_Die> dies, Dwarf_Addr entry, bool, const UnitScopes &unit) {
                  if (is_body(&dies[0]))
                      return;
                  bool own = false, any = false;
                  for (Dwarf_Die &die : dies) {
                      const ObjdumpBody &graph = bodies.around(&die, unit);
                      const AddressRanges ranges = ranges_of(&die);
                      const auto sources = graph.before.find(entry);
                      any |= sources != graph.before.end();
                      own |= graph.jumps_from(ranges, entry) || graph.repeats(entry, ranges);
                  }
                  if (own || any)
                      (own ? census.from_inside : census.from_outside)
                          .push_back(fmt::format("{}@{:x}", name_of(&dies[0]), entry));
              });
    census.from_inside = sorted_once(std::move(census.from_inside));
    census.from_outside = sorted_once(std::move(census.from_outside));
    return census;
}

}  // namespace btf_extra::test
