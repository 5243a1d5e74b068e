// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_copies.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <dwarf.h>

namespace btf_extra::test {

namespace {

using Place = std::tuple<std::string, int, int>;
using Ranges = AddressRanges;

struct Body {
    Ranges ranges;
    Dwarf_Addr entry = 0;
};

struct Instance {
    Dwarf_Die die;
    Ranges own;
    Body body;
    Dwarf_Addr entry;
    bool is_marked;  // it has a DW_AT_entry_pc
};

struct Statement {
    uint64_t address;
    uint64_t view;
};

// Everything that one unit has about one place in the source.
struct Declared {
    std::vector<Instance> instances;
    std::set<uint64_t> entries;  // entries of instances and bodies
    std::vector<Statement> statements;
};

Ranges ranges_of(Dwarf_Die *die) {
    Ranges out;
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        out.emplace_back(start, end);
    return out;
}

class UnitWalk {
  public:
    UnitWalk(Dwarf_Die unit, const ObjdumpFlow *flow) : unit_(unit), flow_(flow) {
        children(unit, {});
        rows();
    }

    LibdwEntries entries() {
        LibdwEntries out;
        for (auto &[place, declared] : places_)
            if (!is_variable(place))
                begin_where_marked(declared, out.unmarked);
        for (const auto &[place, declared] : places_)
            if (!is_variable(place))
                add_copies(declared, out.copies);
            else if (flow_ != nullptr)
                add_proven(declared, out.copies);
        return out;
    }

  private:
    // GCC leaves out the DW_AT_entry_pc of a block that is in one piece and begins with the mark.
    // Any other instance without one has lost it, and has no copies.
    static void begin_where_marked(Declared &declared, std::set<Dwarf_Off> &found) {
        std::erase_if(declared.instances, [&](Instance &instance) {
            Dwarf_Addr low = 0;
            const bool begins =
                dwarf_lowpc(&instance.die, &low) == 0 &&
                std::ranges::any_of(declared.statements, [&](const Statement &statement) {
                    return statement.address == low;
                });
            if (instance.is_marked || !begins)
                return !instance.is_marked;
            found.insert(dwarf_dieoffset(&instance.die));
            declared.entries.insert(low);
            return false;
        });
    }

    static void add_copies(const Declared &declared, std::vector<LibdwCopy> &out) {
        for (const Statement &statement : declared.statements) {
            if (declared.entries.contains(statement.address))
                continue;
            LibdwCopy copy{statement.address, statement.view, {}, true};
            for (const Instance &instance : declared.instances)
                if (inside(instance.own, statement.address))
                    copy.instances = {instance.die};  // children come after their parents
            const std::pair<Dwarf_Addr, Dwarf_Addr> nothing{statement.address, statement.address};
            for (const Instance &instance : declared.instances)
                if (std::ranges::count(instance.own, nothing) != 0)
                    copy.instances.push_back(instance.die);
            if (copy.instances.empty())
                for (const Instance &instance : declared.instances)
                    if (inside(instance.body.ranges, statement.address))
                        copy.instances.push_back(instance.die);
            if (!copy.instances.empty())
                out.push_back(std::move(copy));
        }
    }

    // Adds the statements of functions that macros write, if nothing but other code leads there.
    void add_proven(const Declared &declared, std::vector<LibdwCopy> &out) {
        std::map<const Instance *, std::map<uint64_t, uint64_t>> views;
        for (const Statement &statement : declared.statements) {
            const Instance *innermost = nullptr;
            const std::pair<Dwarf_Addr, Dwarf_Addr> nothing{statement.address, statement.address};
            std::vector<const Instance *> left;
            for (const Instance &instance : declared.instances) {
                if (inside(instance.own, statement.address))
                    innermost = &instance;
                if (std::ranges::count(instance.own, nothing) != 0)
                    left.push_back(&instance);
            }
            if (innermost == nullptr && left.size() == 1)
                innermost = left[0];
            if (innermost != nullptr && innermost->is_marked &&
                !declared.entries.contains(statement.address))
                views[innermost].emplace(statement.address, statement.view);
        }
        for (const auto &[instance, statements] : views) {
            const ObjdumpBody &body = body_of(instance->body);
            std::vector<uint64_t> outside;
            for (const auto &[address, view] : statements) {
                const auto sources = body.before.find(address);
                if (sources != body.before.end() &&
                    std::ranges::none_of(sources->second, [&](uint64_t from) {
                        return inside(instance->own, from);
                    }))
                    outside.push_back(address);
            }
            for (const uint64_t address : outside) {
                std::vector<uint64_t> others = outside;
                std::erase(others, address);
                others.push_back(instance->entry);
                const auto order = body.order(address, others);
                if (order == ObjdumpBody::kAfter ||
                    body.order(instance->entry, {address}) != ObjdumpBody::kOwn)
                    continue;
                // An instance without code there does not begin on all ways that join.
                const bool begins =
                    inside(instance->own, address) || body.before.at(address).size() == 1;
                out.push_back({address,
                               statements.at(address),
                               {instance->die},
                               begins && order == ObjdumpBody::kOwn});
            }
        }
    }

    const ObjdumpBody &body_of(const Body &body) {
        const auto [found, fresh] = bodies_.try_emplace(body.entry);
        if (fresh)
            found->second = flow_->body(body.ranges, body.entry);
        return found->second;
    }

    // A word of the source declares one thing. If a parameter or variable of any function is
    // declared where a function is, a macro has written both, and statements at that place are any
    // of the function. (Two functions at one place may come from a header that is included twice.)
    void note_variable(Dwarf_Die &die) {
        int line = 0, column = 0;
        const int tag = dwarf_tag(&die);
        if ((tag != DW_TAG_formal_parameter && tag != DW_TAG_variable) ||
            dwarf_decl_line(&die, &line) != 0)
            return;
        dwarf_decl_column(&die, &column);
        // The number of a file counts in the unit that has the entry: libdw looks it up there.
        if (const char *file = dwarf_decl_file(&die))
            variables_.insert({file, line, column});
    }

    // Does the same for all that is in a function of another unit.
    void note_variables_of(Dwarf_Die &function) {
        Dwarf_Die die;
        for (int end = dwarf_child(&function, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
            note_variable(die);
            note_variables_of(die);
        }
    }

    bool is_variable(const Place &place) const {
        const auto &[file, line, column] = place;
        return variables_.contains({file, line, column});
    }

    void children(Dwarf_Die &parent, const Body &body) {
        Dwarf_Die die;
        for (int end = dwarf_child(&parent, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
            const int tag = dwarf_tag(&die);
            note_variable(die);
            const bool is_body = tag == DW_TAG_subprogram && libdw_entry(&die);
            if (is_body || tag == DW_TAG_inlined_subroutine)
                note(die, is_body, body);
            children(die, is_body ? Body{ranges_of(&die), *libdw_entry(&die)} : body);
        }
    }

    void note(Dwarf_Die &die, bool is_body, const Body &body) {
        const auto entry = libdw_entry(&die);
        Dwarf_Die origin = die;
        Dwarf_Attribute attribute;
        while (dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) != nullptr)
            if (dwarf_formref_die(&attribute, &origin) == nullptr)
                return;
        int line = 0, column = 0;
        const char *file = dwarf_decl_file(&origin);
        if (!entry || file == nullptr || dwarf_decl_line(&origin, &line) != 0)
            return;
        dwarf_decl_column(&origin, &column);
        if (origin.cu != die.cu && elsewhere_.insert(dwarf_dieoffset(&origin)).second)
            note_variables_of(origin);
        const bool is_marked = dwarf_attr(&die, DW_AT_entry_pc, &attribute) != nullptr;
        Declared &declared = places_[{file, line, column}];
        if (is_body || is_marked)
            declared.entries.insert(*entry);
        if (!is_body)
            declared.instances.push_back({die, ranges_of(&die), body, *entry, is_marked});
    }

    void rows() {
        Dwarf_Lines *lines = nullptr;
        size_t count = 0;
        if (dwarf_getsrclines(&unit_, &lines, &count) != 0)
            return;
        Dwarf_Addr last = 0;
        uint64_t view = 0;
        for (size_t i = 0; i < count; i++) {
            Dwarf_Line *row = dwarf_onesrcline(lines, i);
            Dwarf_Addr address = 0;
            int line = 0, column = 0;
            bool statement = false, end = false;
            dwarf_lineaddr(row, &address);
            dwarf_lineno(row, &line);
            dwarf_linecol(row, &column);
            dwarf_linebeginstatement(row, &statement);
            dwarf_lineendsequence(row, &end);
            view = i != 0 && address == last ? view + 1 : 0;
            last = address;
            const char *file = dwarf_linesrc(row, nullptr, nullptr);
            const auto found = places_.find({file ? file : "", line, column});
            if (!end && statement && found != places_.end())
                found->second.statements.push_back({address, view});
        }
    }

    Dwarf_Die unit_;
    const ObjdumpFlow *flow_;
    std::map<Dwarf_Addr, ObjdumpBody> bodies_;  // by entry
    std::map<Place, Declared> places_;
    std::set<std::tuple<std::string_view, int, int>> variables_;
    std::set<Dwarf_Off> elsewhere_;  // functions of other units that were looked through
};

std::optional<Dwarf_Addr> stated_entry(Dwarf_Die *die) {
    std::optional<Dwarf_Addr> first;
    Dwarf_Addr low = 0;
    if (dwarf_lowpc(die, &low) == 0)
        first = low;
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t at = 0; !first && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        if (start != end)
            first = start;
    Dwarf_Attribute attribute;
    if (dwarf_attr(die, DW_AT_entry_pc, &attribute) == nullptr)
        return first;
    Dwarf_Addr address = 0;
    if (dwarf_formaddr(&attribute, &address) == 0)
        return address;
    Dwarf_Word offset = 0;
    if (first && dwarf_formudata(&attribute, &offset) == 0)
        return *first + offset;
    return std::nullopt;
}

// A range of no length holds the address where it is.
bool has_code_at(Dwarf_Die *die, Dwarf_Addr address) {
    Dwarf_Addr base = 0, start = 0, end = 0;
    bool any = false, found = false;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
        any = true;
        found |= address == start || (address > start && address < end);
    }
    return found || !any;
}

}  // namespace

std::optional<Dwarf_Addr> libdw_entry(Dwarf_Die *die) {
    const auto entry = stated_entry(die);
    if (entry && dwarf_tag(die) == DW_TAG_inlined_subroutine && !has_code_at(die, *entry))
        return std::nullopt;
    return entry;
}

LibdwEntries libdw_entries(Dwarf_Die unit, const ObjdumpFlow *flow) {
    return UnitWalk(unit, flow).entries();
}

}  // namespace btf_extra::test
