// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/dwarf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/generator/dwarf/code_place.h"
#include "userspace/generator/sites/address_checks.h"
#include "userspace/generator/sites/entry_marks.h"
#include "userspace/generator/sites/flow_entries.h"
#include "userspace/generator/sites/site_marker.h"
#include "userspace/generator/sites/site_params.h"
#include "userspace/generator/sites/unit_state.h"
#include "userspace/generator/sites/variable_reader.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxDepth = 512;  // of nested entries

using Function = SourceFunctions::Function;

// The attributes of a DW_TAG_inlined_subroutine.
struct InlinedEntry {
    CodePlace place;
    SourcePlace call;
    AttributeValue origin;
    std::optional<uint64_t> view;

    void set(uint16_t name, const AttributeValue &value) {
        if (place.set(name, value))
            return;
        switch (name) {
        case DW_AT_abstract_origin:
            origin = value;
            break;
        case DW_AT_GNU_entry_view:
            view = value.number;
            break;
        case DW_AT_call_file:
            call.file = value.number;
            break;
        case DW_AT_call_line:
            call.line = value.number;
            break;
        case DW_AT_call_column:
            call.column = value.number;
            break;
        default:
            break;
        }
    }
};

// The surroundings of an entry.
struct Scope {
    const Enclosing *enclosing = nullptr;   // nullptr: the entry is in no out-of-line function
    OpenSite *site = nullptr;               // the innermost one around; nullptr: none
    uint32_t frame = CodeFrame::kNoCaller;  // likewise, in UnitSites::frames
    bool has_params = false;                // formal parameters here are those of the site
};

// The walk over the entries of one unit. It lives as long as that.
class UnitWalk {
  public:
    UnitWalk(UnitTools &tools, const Unit &unit)
        : state_(tools, unit), marks_entries_(unit.compiler == Compiler::kGcc) {}

    UnitSites run();

  private:
    // These return the offset after the bytes that they read; 0 after fail().
    uint64_t walk(uint64_t offset, const Scope &scope, uint32_t depth);
    uint64_t visit_children(const Die &die, uint64_t after_attributes, const Scope &scope,
                            uint32_t depth);
    uint64_t visit_subprogram(const Die &die, uint32_t depth);
    uint64_t visit_inlined(const Die &die, const Scope &scope, uint32_t depth);
    std::vector<CodeRange> last_value_ranges() const {
        return state_.sites.has_last_values ? ranges_ : std::vector<CodeRange>();
    }
    // Reads what is in the entry of a site, and adds the site if its address is in an executable
    // section. site has its class and what is known of its marks.
    uint64_t visit_site(const Die &die, uint64_t after_attributes, Site site, OpenSite open,
                        uint32_t depth);
    uint64_t fail(uint64_t offset);

    // Returns true if this is the body of an overridden definition.
    bool is_overridden(const Function *function, uint64_t address) const;
    // Returns true if an instance is the remainder of a split function in an instance of that.
    bool is_remainder(const Function &function, const OpenSite *around, const SourcePlace &call);
    // Adds the frame of an entry whose code is in ranges_, and returns its number; kNoCaller: it
    // is of no function, or frames are not wanted.
    uint32_t add_frame(const Function *function, const SourcePlace &call, uint32_t caller);
    // Returns the number of a call's file in UnitSites::call_files. It is that of the unit + 1.
    uint32_t call_file(const SourcePlace &call);

    UnitState state_;
    SiteMarker marker_{state_};
    SiteParams params_{state_};
    VariableReader variables_{state_};
    bool marks_entries_;             // the compiler says where instances are entered
    std::vector<CodeRange> ranges_;  // of the entry that is being read
};

UnitSites UnitWalk::run() {
    const Die die = state_.unit.unit_die();
    const uint64_t children = state_.unit.after_attributes(die);
    if (children == 0)
        fail(state_.unit.header.offset);
    else if (die.abbreviation->has_children)
        walk(children, {}, 0);
    if (state_.tools.types.refers_to_nothing() && state_.sites.error.empty())
        state_.sites.error =
            fmt::format(".debug_info: unit at {:#x}: refers to a type that is missing",
                        state_.unit.header.offset);
    EntryMarks marks(state_, marker_, params_);
    if (state_.unit.compiler == Compiler::kClang) {
        marks.drop_entries();
        FlowEntries(state_, marker_, params_).find();
    } else {
        state_.copied_entries.read_rows(state_.sections, state_.unit,
                                        state_.functions.same_files());
        if (marks_entries_)
            marks.find_marked_entries();
        else
            marks.drop_entries();
    }
    marks.judge_remainders();
    state_.sites.contradicted += drop_inside_instructions(state_.sites.sites, state_.copied_entries,
                                                          state_.input, state_.tools.starts);
    marker_.judge_untraced_unit();
    return std::move(state_.sites);
}

uint64_t UnitWalk::fail(uint64_t offset) {
    if (state_.sites.error.empty())
        state_.sites.error = fmt::format(".debug_info: malformed entry at {:#x}", offset);
    return 0;
}

uint64_t UnitWalk::walk(uint64_t offset, const Scope &scope, uint32_t depth) {
    if (depth > kMaxDepth)
        return fail(offset);
    while (offset < state_.unit.header.end) {
        const Die die = state_.unit.die_at(offset);
        if (die.ends_children)
            return die.attributes;
        uint64_t next = 0;
        switch (die.tag()) {
        case 0:
            return fail(offset);
        case DW_TAG_subprogram:
            next = visit_subprogram(die, depth);
            break;
        case DW_TAG_inlined_subroutine:
            next = visit_inlined(die, scope, depth);
            break;
        case DW_TAG_formal_parameter:
            next =
                scope.has_params ? params_.read(die, *scope.site) : state_.unit.next_sibling(die);
            break;
        case DW_TAG_variable:
            next = variables_.read(die, depth == 0);
            break;
        case DW_TAG_lexical_block:
            next = state_.unit.after_attributes(die);
            if (next != 0)
                next = visit_children(
                    die, next,
                    {.enclosing = scope.enclosing, .site = scope.site, .frame = scope.frame},
                    depth);
            break;
        default:
            next = state_.unit.next_sibling(die);
            break;
        }
        if (next == 0)
            return fail(offset);
        offset = next;
    }
    return depth == 0 ? offset : fail(offset);
}

uint64_t UnitWalk::visit_children(const Die &die, uint64_t after_attributes, const Scope &scope,
                                  uint32_t depth) {
    return die.abbreviation->has_children ? walk(after_attributes, scope, depth + 1)
                                          : after_attributes;
}

uint64_t UnitWalk::visit_subprogram(const Die &die, uint32_t depth) {
    CodePlace place;
    Enclosing enclosing;
    const uint64_t next =
        state_.unit.for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
            if (!place.set(name, value) && name == DW_AT_frame_base)
                enclosing.frame_base = value;
        });
    if (next == 0)
        return 0;
    const std::optional<uint64_t> address = place.entry(state_.sections, state_.unit);
    // Abstract instances and declarations are read when a site asks for them.
    if (!address) {
        state_.sites.contradicted += place.entry_pc || place.low_pc ? 1 : 0;
        variables_.read_inside(die, next);
        return state_.unit.next_sibling(die);
    }
    enclosing.entry = *address;
    const Function *function = state_.functions.at(die.offset, die.offset);
    ranges_.clear();
    place.append_ranges(state_.sections, state_.unit, ranges_);
    cut_to_sections(ranges_, state_.input.file);
    if (place.has_extent() && !hold(ranges_, *address)) {
        ++state_.sites.contradicted;
        const CodeRange nothing{*address, *address};
        enclosing.body = state_.copied_entries.add_body({}, *address, {&nothing, 1});
        return visit_children(die, next, {.enclosing = &enclosing}, depth);
    }
    if (state_.sites.has_last_values)
        state_.tools.assigned.begin_body(ranges_);
    const uint32_t frame = add_frame(function, {}, CodeFrame::kNoCaller);
    if (is_overridden(function, *address)) {
        ++state_.sites.overridden_bodies;
        return visit_children(die, next, {.frame = frame}, depth);
    }
    marker_.look_up_body(function, enclosing);
    enclosing.body = state_.copied_entries.add_body(
        function && function->here ? *function->here : SourcePlace{}, *address, ranges_);
    if (!function)
        return visit_children(die, next, {.enclosing = &enclosing}, depth);
    return visit_site(die, next, Site{.site_class = SiteClass::kBody},
                      OpenSite{.function = *function,
                               .point = {.address = *address, .view = 0},
                               .enclosing = enclosing,
                               .body = &place,
                               .frame = frame,
                               .ranges = last_value_ranges()},
                      depth);
}

uint64_t UnitWalk::visit_inlined(const Die &die, const Scope &scope, uint32_t depth) {
    InlinedEntry entry;
    const uint64_t next = state_.unit.for_each_attribute(
        die, [&](uint16_t name, const AttributeValue &value) { entry.set(name, value); });
    if (next == 0)
        return 0;
    marks_entries_ |= entry.view && state_.unit.compiler == Compiler::kOther;
    const std::optional<uint64_t> address = entry.place.entry(state_.sections, state_.unit);
    if (!address && (entry.place.entry_pc || entry.place.low_pc) && scope.enclosing)
        ++state_.sites.contradicted;
    const Function *function = nullptr;
    if (address && (scope.enclosing || scope.frame != CodeFrame::kNoCaller)) {
        state_.sites.inline_instances += scope.enclosing ? 1 : 0;
        if (entry.origin.kind == AttributeValue::kReference)
            function = state_.functions.at(entry.origin.number, die.offset);
    }
    if (!function)
        return visit_children(die, next, {.enclosing = scope.enclosing, .frame = scope.frame},
                              depth);
    ranges_.clear();
    entry.place.append_ranges(state_.sections, state_.unit, ranges_);
    const bool possible =
        !scope.enclosing ||
        can_begin(*address, ranges_, state_.copied_entries.ranges_of_body(scope.enclosing->body));
    if (scope.enclosing)
        cut_to_pieces(ranges_, state_.copied_entries.ranges_of_body(scope.enclosing->body));
    const uint32_t frame = scope.frame == CodeFrame::kNoCaller
                               ? scope.frame
                               : add_frame(function, entry.call, scope.frame);
    if (!scope.enclosing)
        return visit_children(die, next, {.frame = frame}, depth);
    if (!possible) {
        ++state_.sites.contradicted;
        return visit_children(die, next, {.enclosing = scope.enclosing, .frame = frame}, depth);
    }

    Site site{.site_class = SiteClass::kInline};
    if (!entry.place.entry_pc)
        site.marks |= SITE_MARK_NO_ENTRY;
    if (marker_.is_loop_head(*address, ranges_))
        site.marks |= SITE_MARK_LOOP_HEAD;
    OpenSite open{.function = *function,
                  .point = {.address = *address, .view = entry.view.value_or(0)},
                  .enclosing = *scope.enclosing,
                  .frame = frame,
                  .ranges = last_value_ranges()};
    if (is_remainder(*function, scope.site, entry.call)) {
        open.remainder = state_.calls.add({.body = scope.enclosing->body,
                                           .address = *address,
                                           .beginning = scope.site->point.address,
                                           .beginning_instance = scope.site->instance,
                                           .around = scope.site->remainder});
        state_.remainder_sites.emplace_back();
    }
    // GCC writes no DW_AT_entry_pc for an instance in one piece that is entered at view 0.
    // The flow of control has the entries of all instances of clang.
    if ((function->here && (entry.place.entry_pc || !entry.place.ranges)) ||
        state_.unit.compiler == Compiler::kClang) {
        open.instance = static_cast<uint32_t>(state_.instances.size());
        state_.copied_entries.add_instance(function->here.value_or(SourcePlace{}), *address,
                                           bool{entry.place.entry_pc}, ranges_,
                                           scope.enclosing->body);
        state_.instances.push_back({.die = die.offset,
                                    .function = function,
                                    .enclosing = *scope.enclosing,
                                    .remainder = open.remainder});
    }
    return visit_site(die, next, site, open, depth);
}

// GCC places the call of a split remainder where the function is declared; a call that the function
// makes itself has a later place.
bool UnitWalk::is_remainder(const Function &function, const OpenSite *around,
                            const SourcePlace &call) {
    return around && &function == &around->function && call.line != 0 &&
           call.line == function.declared.line && call.column == function.declared.column &&
           state_.functions.file_of(state_.unit, call.file) ==
               state_.sites.functions[function.number].file;
}

bool UnitWalk::is_overridden(const Function *function, uint64_t address) const {
    const auto section = state_.input.file.executable_section(address);
    if (!function || !section)
        return false;
    const SourceFunction &source = state_.sites.functions[function->number];
    return source.external &&
           state_.input.symbols.overridden(
               source.name, *section, address - state_.input.file.sections()[*section].address);
}

uint32_t UnitWalk::add_frame(const Function *function, const SourcePlace &call, uint32_t caller) {
    if (!function || !state_.input.frames)
        return CodeFrame::kNoCaller;
    state_.sites.frames.push_back(
        {.function = function->number,
         .caller = caller,
         .first_range = static_cast<uint32_t>(state_.sites.frame_ranges.size()),
         .nr_ranges = static_cast<uint32_t>(ranges_.size()),
         .call_file = call_file(call),
         .call_line = static_cast<uint32_t>(call.line)});
    state_.sites.frame_ranges.insert(state_.sites.frame_ranges.end(), ranges_.begin(),
                                     ranges_.end());
    return static_cast<uint32_t>(state_.sites.frames.size() - 1);
}

uint32_t UnitWalk::call_file(const SourcePlace &call) {
    std::vector<std::string_view> &files = state_.sites.call_files;
    const uint64_t number = call.file + 1;
    if (call.line == 0)
        return 0;
    if (number >= files.size() || files[number].empty()) {
        const std::string_view name = state_.functions.file_of(state_.unit, call.file);
        if (name.empty())
            return 0;
        files.resize(std::max<size_t>(files.size(), number + 1));
        files[number] = name;
    }
    return static_cast<uint32_t>(number);
}

uint64_t UnitWalk::visit_site(const Die &die, uint64_t after_attributes, Site site, OpenSite open,
                              uint32_t depth) {
    site.function = open.function.number;
    if (!marker_.place(site, open.point.address, open.enclosing)) {
        ++state_.sites.outside_sections;
        return visit_children(die, after_attributes,
                              {.enclosing = &open.enclosing, .frame = open.frame}, depth);
    }
    if (open.body && state_.input.symbols.part(state_.sites.functions[site.function].name,
                                               site.section, site.offset))
        site.marks |= SITE_MARK_PART;
    params_.begin(open);
    const uint64_t next = visit_children(
        die, after_attributes,
        {.enclosing = &open.enclosing, .site = &open, .frame = open.frame, .has_params = true},
        depth);
    const std::span<const ParamSlot> slots = params_.of(open);
    site.params = state_.sites.param_lists.add(slots);
    if (site.site_class == SiteClass::kInline)
        marker_.judge_key(site, open.enclosing, slots);
    if (open.instance)
        state_.instances[*open.instance].site = state_.sites.sites.size();
    if (open.remainder)
        state_.remainder_sites[*open.remainder] = state_.sites.sites.size();
    state_.sites.sites.push_back(site);
    if (open.body)
        state_.tools.clones.add({.unit = state_.unit,
                                 .place = *open.body,
                                 .site = site,
                                 .function = open.function,
                                 .slots = slots,
                                 .parts = open.parts},
                                state_.functions, state_.param_slots, state_.sites);
    params_.end(open);
    return next;
}

}  // namespace

UnitSites read_unit(UnitTools &tools, const Unit &unit) {
    UnitSites none;
    const bool rust = unit.language == DW_LANG_Rust;
    none.skipped_rust = rust && !unit.is_partial();
    if (rust || unit.is_assembly())
        return none;
    return UnitWalk(tools, unit).run();
}

}  // namespace btf_extra::generator
