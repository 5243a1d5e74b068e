// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/dwarf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory_resource>
#include <optional>
#include <utility>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/generator/dwarf/code_place.h"
#include "userspace/generator/locations/param_slots.h"
#include "userspace/generator/locations/parameter_place.h"
#include "userspace/generator/sites/address_checks.h"
#include "userspace/generator/sites/after_key.h"
#include "userspace/generator/sites/call_entries.h"
#include "userspace/generator/sites/closed_code.h"
#include "userspace/generator/sites/copied_entries.h"
#include "userspace/generator/sites/source_functions.h"

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

// A site whose entry is being read.
struct OpenSite {
    const Function &function;
    CodePoint point;
    const Enclosing &enclosing;
    const CodePlace *body = nullptr;  // the code of an out-of-line function; nullptr: inlined
    uint32_t frame = CodeFrame::kNoCaller;
    std::vector<CodeRange> ranges = {};                // only if locations are those of last values
    ParamParts parts = {};                             // of a body
    std::optional<uint32_t> instance = std::nullopt;   // in UnitWalk::instances_
    std::optional<uint32_t> remainder = std::nullopt;  // in UnitWalk::calls_
    size_t first_slot = 0;                             // its parameters in UnitWalk::slots_
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
        : tools_(tools), input_(tools.input), sections_(tools.input.file.dwarf()),
          unit_(unit), format_{.registers = loc_arch_of(input_.file.elf().machine())->nr_numbers,
                               .address_size = unit.header.address_size,
                               .offset_size = unit.header.offset_size,
                               .version = static_cast<uint8_t>(unit.header.version)},
          functions_(input_, unit, tools.types, sites_, &memory_), param_slots_(sites_, &memory_),
          calls_(copied_entries_, tools.flows), marks_entries_(unit.compiler == Compiler::kGcc) {
        sites_.has_last_values = unit.compiler == Compiler::kClang;
    }

    UnitSites run();

  private:
    // An inlined instance that has been read.
    struct Instance {
        uint64_t die = 0;
        const Function *function = nullptr;
        Enclosing enclosing;
        std::optional<uint32_t> remainder;          // in calls_
        std::optional<size_t> site = std::nullopt;  // in sites_
    };

    // These return the offset after the bytes that they read; 0 after fail().
    uint64_t walk(uint64_t offset, const Scope &scope, uint32_t depth);
    uint64_t visit_children(const Die &die, uint64_t after_attributes, const Scope &scope,
                            uint32_t depth);
    uint64_t visit_subprogram(const Die &die, uint32_t depth);
    uint64_t visit_inlined(const Die &die, const Scope &scope, uint32_t depth);
    uint64_t visit_parameter(const Die &die, OpenSite &site);
    SiteContext context_of(const OpenSite &site, uint64_t distance = 0) const;
    // Returns where a parameter is at a site.
    Location locate(const ParameterPlace &place, const OpenSite &site, uint64_t size);
    // Notes what the location of a parameter shows of its values.
    void note_values(size_t position, const ParameterPlace &place, const OpenSite &site);
    std::vector<CodeRange> last_value_ranges() const {
        return sites_.has_last_values ? ranges_ : std::vector<CodeRange>();
    }
    // Reads what is in the entry of a site, and adds the site if its address is in an executable
    // section. site has its class and what is known of its marks.
    uint64_t visit_site(const Die &die, uint64_t after_attributes, Site site, OpenSite open,
                        uint32_t depth);
    uint64_t fail(uint64_t offset);

    // Takes the marks of the line program for entries, and adds a site for each that is new.
    void find_marked_entries();
    // Returns true if this is the body of an overridden definition.
    bool is_overridden(const Function *function, uint64_t address) const;
    // Returns true if an instance is the remainder of a split function in an instance of that.
    bool is_remainder(const Function &function, const OpenSite *around, const SourcePlace &call);
    void judge_remainders();
    // Returns the mark of a site at an address in a remainder.
    uint8_t mark_of_remainder(const CallEntries::Remainder &remainder, uint64_t address);
    // Marks sites of instances that are entered in unlikely code and run elsewhere without that.
    void judge_unlikely_entries();
    // Adds a site for each statement that the flow of control proves to be a beginning of a call,
    // of functions whose other statements are at the same place of the source.
    void add_sites_in_macros(std::span<const CopiedEntries::Copy> copies);
    // Adds the frame of an entry whose code is in ranges_, and returns its number; kNoCaller: it
    // is of no function, or frames are not wanted.
    uint32_t add_frame(const Function *function, const SourcePlace &call, uint32_t caller);
    // Returns the number of a call's file in UnitSites::call_files. It is that of the unit + 1.
    uint32_t call_file(const SourcePlace &call);
    // Looks up what tracers may do at the entry of a body.
    void judge_body(const Function *function, Enclosing &body) const;
    // Judges the sites of a unit in which ftrace knows no function.
    void judge_untraced_unit();
    // false: in no executable section.
    bool place_site(Site &site, uint64_t address, const Enclosing &enclosing);
    bool is_loop_head(uint64_t entry, std::span<const CodeRange> ranges);
    // Marks an inline site at a static key, if the instruction after that does for a probe.
    void judge_key(Site &site, const Enclosing &enclosing, std::span<const ParamSlot> slots);
    // Makes room in slots_ for the parameters of a site, none of them located.
    void begin_params(OpenSite &site);
    void locate_params_again(const Die &die, OpenSite &site);
    // Returns the mark of a copy that may be of the remainder of a split function.
    uint8_t mark_of_copy(const CopiedEntries::Copy &copy);
    void add_copied_site(const CopiedEntries::Copy &copy, uint8_t marks = 0);

    UnitTools &tools_;
    const ReaderInput &input_;
    const DebugSections &sections_;
    const Unit &unit_;
    const ExprFormat format_;
    UnitSites sites_;
    // A kernel has a million small nodes of tables: the memory of a unit's is taken and let go as a
    // whole, and no thread waits for another.
    std::pmr::monotonic_buffer_resource memory_{1 << 16};
    SourceFunctions functions_;
    ParamSlots param_slots_;
    std::vector<ParamSlot> slots_;  // of the sites around the current entry, the innermost last
    CopiedEntries copied_entries_;
    std::vector<Instance> instances_;  // by their numbers in copied_entries_
    CallEntries calls_;
    std::vector<std::optional<size_t>> remainder_sites_;      // in sites_, by number in calls_
    std::map<uint64_t, std::optional<FlowChanges>> at_keys_;  // by address of the key's instruction
    bool marks_entries_;             // the compiler says where instances are entered
    bool is_traced_ = false;         // the compiler made calls for ftrace
    std::vector<CodeRange> ranges_;  // of the entry that is being read
};

UnitSites UnitWalk::run() {
    sites_.knows_traced = input_.probed.known();
    const Die die = unit_.unit_die();
    const uint64_t children = unit_.after_attributes(die);
    if (children == 0)
        fail(unit_.header.offset);
    else if (die.abbreviation->has_children)
        walk(children, {}, 0);
    if (tools_.types.refers_to_nothing() && sites_.error.empty())
        sites_.error = fmt::format(".debug_info: unit at {:#x}: refers to a type that is missing",
                                   unit_.header.offset);
    copied_entries_.read_rows(sections_, unit_, functions_.same_files());
    if (marks_entries_)
        find_marked_entries();
    else
        for (Site &site : sites_.sites)
            if (site.site_class == SiteClass::kInline)
                site.marks |= SITE_MARK_NO_ENTRY;
    judge_remainders();
    sites_.contradicted +=
        drop_inside_instructions(sites_.sites, copied_entries_, input_, tools_.starts);
    if (!is_traced_)
        judge_untraced_unit();
    return std::move(sites_);
}

void UnitWalk::find_marked_entries() {
    for (uint32_t i = 0; i < instances_.size(); ++i) {
        Site *site = instances_[i].site ? &sites_.sites[*instances_[i].site] : nullptr;
        if (site && (site->marks & SITE_MARK_NO_ENTRY) && copied_entries_.has_entry(i) &&
            !functions_.written_by_macro(*instances_[i].function))
            site->marks &= static_cast<uint8_t>(~SITE_MARK_NO_ENTRY);
    }
    std::vector<CopiedEntries::Copy> copies = copied_entries_.find(), in_macros;
    std::erase_if(copies, [&](CopiedEntries::Copy &copy) {
        const bool is_in_macro =
            functions_.written_by_macro(*instances_[copy.instances.front()].function);
        if (is_in_macro)
            in_macros.push_back(std::move(copy));
        return is_in_macro;
    });
    for (const CopiedEntries::Copy &copy : copies)
        for (const uint32_t instance : copy.instances)
            calls_.add_copy(instance, copy.point.address);
    for (const CopiedEntries::Copy &copy : copies)
        add_copied_site(copy);
    add_sites_in_macros(in_macros);
    judge_unlikely_entries();
}

void UnitWalk::judge_remainders() {
    for (size_t i = 0; i < remainder_sites_.size(); ++i)
        if (const auto site = remainder_sites_[i]) {
            const CallEntries::Remainder remainder = calls_.remainders()[i];
            sites_.sites[*site].marks |= mark_of_remainder(remainder, remainder.address);
        }
}

uint8_t UnitWalk::mark_of_remainder(const CallEntries::Remainder &remainder, uint64_t address) {
    const uint8_t mark = calls_.mark_of(remainder, address);
    if (mark == SITE_MARK_PART || !remainder.beginning_instance)
        return mark;
    // A call of foo.part.0 would be a remainder, too.
    const Function *function = instances_[*remainder.beginning_instance].function;
    if (std::ranges::any_of(sites_.sites, [&](const Site &site) {
            return site.site_class == SiteClass::kBody && site.function == function->number &&
                   (site.marks & SITE_MARK_PART) != 0;
        }))
        return mark;
    std::vector<CallEntries::Beginning> others;
    for (uint32_t number = 0; number < instances_.size(); ++number) {
        const Instance &instance = instances_[number];
        if (number == *remainder.beginning_instance || instance.function != function ||
            instance.enclosing.body != remainder.body || instance.remainder || !instance.site ||
            calls_.has_remainder(number))
            continue;
        const Site &site = sites_.sites[*instance.site];
        if ((site.marks & SITE_MARK_NO_ENTRY) == 0)
            others.push_back({number, input_.file.sections()[site.section].address + site.offset});
    }
    return others.empty() ? mark : calls_.mark_of(remainder, address, others);
}

void UnitWalk::add_sites_in_macros(std::span<const CopiedEntries::Copy> copies) {
    std::map<uint32_t, std::vector<CodePoint>> places;
    for (const CopiedEntries::Copy &copy : copies)
        if (const auto number = copied_entries_.only_instance_at(copy)) {
            std::vector<CodePoint> &found = places[*number];
            if (found.empty() || found.back().address != copy.point.address)
                found.push_back(copy.point);
        }
    for (const auto &[number, points] : places) {
        const Instance &instance = instances_[number];
        if (!instance.site || (sites_.sites[*instance.site].marks & SITE_MARK_NO_ENTRY) != 0)
            continue;
        const Site &first = sites_.sites[*instance.site];
        std::vector<uint64_t> entries{input_.file.sections()[first.section].address + first.offset};
        const auto ranges = copied_entries_.ranges_of(number);
        std::vector<CodePoint> outside;
        for (const CodePoint &point : points)
            if (calls_.entered_from_outside(instance.enclosing.body, point.address, ranges)) {
                outside.push_back(point);
                entries.push_back(point.address);
            }
        for (const CodePoint &point : outside) {
            std::vector<uint64_t> others = entries;
            std::erase(others, point.address);
            const uint32_t body = instance.enclosing.body;
            CallOrder order = calls_.order(body, point.address, others);
            // If no code of the instance is left, other code that joins there is not of a call.
            if (order == CallOrder::kOwn && !hold(ranges, point.address) &&
                calls_.code_of(body).flow->before(point.address).size() != 1)
                order = CallOrder::kEither;
            // An instruction of a call may be scheduled before its mark.
            const bool comes_before =
                calls_.order(body, entries.front(), {&point.address, 1}) != CallOrder::kOwn;
            if (comes_before)
                continue;
            if (order == CallOrder::kOwn)
                calls_.add_copy(number, point.address);
            if (order != CallOrder::kAfter)
                add_copied_site({.point = point, .instances = {number}},
                                order == CallOrder::kOwn ? uint8_t{0} : SITE_MARK_NO_ENTRY);
        }
    }
}

// GCC moves code that it takes for unlikely out of the rest of a body. If the entry of an instance
// is in that code, and code of the instance in the rest runs without it, the entry sees few of the
// calls.
void UnitWalk::judge_unlikely_entries() {
    for (uint32_t number = 0; number < instances_.size(); ++number) {
        const Instance &instance = instances_[number];
        if (!instance.site || (sites_.sites[*instance.site].marks & SITE_MARK_NO_ENTRY) != 0)
            continue;
        const auto pieces = copied_entries_.ranges_of_body(instance.enclosing.body);
        if (pieces.size() < 2)
            continue;
        const CodeRange likely = piece_at(pieces, instance.enclosing.entry);
        Site &site = sites_.sites[*instance.site];
        const uint64_t entry = input_.file.sections()[site.section].address + site.offset;
        std::vector<CodeRange> elsewhere;
        for (const CodeRange &range : copied_entries_.ranges_of(number))
            if (range.begin < range.end && range.begin >= likely.begin && range.begin < likely.end)
                elsewhere.push_back(range);
        if (elsewhere.empty() || (likely.begin <= entry && entry < likely.end))
            continue;
        if (calls_.runs_without_entries(instance.enclosing.body, number, entry, elsewhere))
            site.marks |= SITE_MARK_NO_ENTRY;
    }
}

uint64_t UnitWalk::fail(uint64_t offset) {
    if (sites_.error.empty())
        sites_.error = fmt::format(".debug_info: malformed entry at {:#x}", offset);
    return 0;
}

uint64_t UnitWalk::walk(uint64_t offset, const Scope &scope, uint32_t depth) {
    if (depth > kMaxDepth)
        return fail(offset);
    while (offset < unit_.header.end) {
        const Die die = unit_.die_at(offset);
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
            next = scope.has_params ? visit_parameter(die, *scope.site) : unit_.next_sibling(die);
            break;
        case DW_TAG_lexical_block:
            next = unit_.after_attributes(die);
            if (next != 0)
                next = visit_children(
                    die, next,
                    {.enclosing = scope.enclosing, .site = scope.site, .frame = scope.frame},
                    depth);
            break;
        default:
            next = unit_.next_sibling(die);
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
        unit_.for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
            if (!place.set(name, value) && name == DW_AT_frame_base)
                enclosing.frame_base = value;
        });
    if (next == 0)
        return 0;
    const std::optional<uint64_t> address = place.entry(sections_, unit_);
    // Abstract instances and declarations are read when a site asks for them.
    if (!address) {
        sites_.contradicted += place.entry_pc || place.low_pc ? 1 : 0;
        return unit_.next_sibling(die);
    }
    enclosing.entry = *address;
    const Function *function = functions_.at(die.offset, die.offset);
    ranges_.clear();
    place.append_ranges(sections_, unit_, ranges_);
    cut_to_sections(ranges_, input_.file);
    if (place.has_extent() && !hold(ranges_, *address)) {
        ++sites_.contradicted;
        const CodeRange nothing{*address, *address};
        enclosing.body = copied_entries_.add_body({}, *address, {&nothing, 1});
        return visit_children(die, next, {.enclosing = &enclosing}, depth);
    }
    if (sites_.has_last_values)
        tools_.assigned.begin_body(ranges_);
    const uint32_t frame = add_frame(function, {}, CodeFrame::kNoCaller);
    if (is_overridden(function, *address)) {
        ++sites_.overridden_bodies;
        return visit_children(die, next, {.frame = frame}, depth);
    }
    judge_body(function, enclosing);
    enclosing.body = copied_entries_.add_body(
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
    const uint64_t next = unit_.for_each_attribute(
        die, [&](uint16_t name, const AttributeValue &value) { entry.set(name, value); });
    if (next == 0)
        return 0;
    marks_entries_ |= entry.view && unit_.compiler == Compiler::kOther;
    const std::optional<uint64_t> address = entry.place.entry(sections_, unit_);
    if (!address && (entry.place.entry_pc || entry.place.low_pc) && scope.enclosing)
        ++sites_.contradicted;
    const Function *function = nullptr;
    if (address && (scope.enclosing || scope.frame != CodeFrame::kNoCaller)) {
        sites_.inline_instances += scope.enclosing ? 1 : 0;
        if (entry.origin.kind == AttributeValue::kReference)
            function = functions_.at(entry.origin.number, die.offset);
    }
    if (!function)
        return visit_children(die, next, {.enclosing = scope.enclosing, .frame = scope.frame},
                              depth);
    ranges_.clear();
    entry.place.append_ranges(sections_, unit_, ranges_);
    const bool possible =
        !scope.enclosing ||
        can_begin(*address, ranges_, copied_entries_.ranges_of_body(scope.enclosing->body));
    if (scope.enclosing)
        cut_to_pieces(ranges_, copied_entries_.ranges_of_body(scope.enclosing->body));
    const uint32_t frame = scope.frame == CodeFrame::kNoCaller
                               ? scope.frame
                               : add_frame(function, entry.call, scope.frame);
    if (!scope.enclosing)
        return visit_children(die, next, {.frame = frame}, depth);
    if (!possible) {
        ++sites_.contradicted;
        return visit_children(die, next, {.enclosing = scope.enclosing, .frame = frame}, depth);
    }

    Site site{.site_class = SiteClass::kInline};
    if (!entry.place.entry_pc)
        site.marks |= SITE_MARK_NO_ENTRY;
    if (is_loop_head(*address, ranges_))
        site.marks |= SITE_MARK_LOOP_HEAD;
    OpenSite open{.function = *function,
                  .point = {.address = *address, .view = entry.view.value_or(0)},
                  .enclosing = *scope.enclosing,
                  .frame = frame,
                  .ranges = last_value_ranges()};
    if (is_remainder(*function, scope.site, entry.call)) {
        open.remainder = calls_.add({.body = scope.enclosing->body,
                                     .address = *address,
                                     .beginning = scope.site->point.address,
                                     .beginning_instance = scope.site->instance,
                                     .around = scope.site->remainder});
        remainder_sites_.emplace_back();
    }
    // GCC writes no DW_AT_entry_pc for an instance in one piece that is entered at view 0.
    if (function->here && (entry.place.entry_pc || !entry.place.ranges)) {
        open.instance = static_cast<uint32_t>(instances_.size());
        copied_entries_.add_instance(*function->here, *address, bool{entry.place.entry_pc}, ranges_,
                                     scope.enclosing->body);
        instances_.push_back({.die = die.offset,
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
           functions_.file_of(unit_, call.file) == sites_.functions[function.number].file;
}

bool UnitWalk::is_loop_head(uint64_t entry, std::span<const CodeRange> ranges) {
    if (tools_.loop_heads.is_loop_head(entry, ranges))
        return true;
    // Code of the instance may fall to the entry, and a table may lead there.
    if (!input_.flow_tables.leads_to(entry) &&
        std::ranges::none_of(ranges, [&](const CodeRange &range) {
            return range.begin < entry && entry <= range.end;
        }))
        return false;
    const BodyCode code = tools_.flows.read(ranges, entry);
    return code.flow && code.flow->repeats(entry, ranges);
}

bool UnitWalk::is_overridden(const Function *function, uint64_t address) const {
    const auto section = input_.file.executable_section(address);
    if (!function || !section)
        return false;
    const SourceFunction &source = sites_.functions[function->number];
    return source.external &&
           input_.symbols.overridden(source.name, *section,
                                     address - input_.file.sections()[*section].address);
}

uint32_t UnitWalk::add_frame(const Function *function, const SourcePlace &call, uint32_t caller) {
    if (!function || !input_.frames)
        return CodeFrame::kNoCaller;
    sites_.frames.push_back({.function = function->number,
                             .caller = caller,
                             .first_range = static_cast<uint32_t>(sites_.frame_ranges.size()),
                             .nr_ranges = static_cast<uint32_t>(ranges_.size()),
                             .call_file = call_file(call),
                             .call_line = static_cast<uint32_t>(call.line)});
    sites_.frame_ranges.insert(sites_.frame_ranges.end(), ranges_.begin(), ranges_.end());
    return static_cast<uint32_t>(sites_.frames.size() - 1);
}

uint32_t UnitWalk::call_file(const SourcePlace &call) {
    std::vector<std::string_view> &files = sites_.call_files;
    const uint64_t number = call.file + 1;
    if (call.line == 0)
        return 0;
    if (number >= files.size() || files[number].empty()) {
        const std::string_view name = functions_.file_of(unit_, call.file);
        if (name.empty())
            return 0;
        files.resize(std::max<size_t>(files.size(), number + 1));
        files[number] = name;
    }
    return static_cast<uint32_t>(number);
}

void UnitWalk::judge_body(const Function *function, Enclosing &body) const {
    const auto section = input_.file.executable_section(body.entry);
    if (!section)
        return;
    const uint64_t offset = body.entry - input_.file.sections()[*section].address;
    if (input_.probed.kept_out(*section, offset))
        return;
    body.function = function ? function->number + 1 : 0;
    body.traced = input_.probed.traced(*section, offset);
}

void UnitWalk::judge_untraced_unit() {
    const bool open = open_by_path(functions_.unit_path());
    for (Site &site : sites_.sites)
        if (const uint32_t body = std::exchange(site.body, 0);
            open && body != 0 && !closed_by_name(sites_.functions[body - 1].name))
            site.marks |= SITE_MARK_UNLISTED;
}

bool UnitWalk::place_site(Site &site, uint64_t address, const Enclosing &enclosing) {
    const auto section = input_.file.executable_section(address);
    if (!section)
        return false;
    site.section = *section;
    site.offset = static_cast<uint32_t>(address - input_.file.sections()[*section].address);
    const bool kept_out = input_.probed.kept_out(*section, site.offset);
    if (kept_out)
        site.marks |= SITE_MARK_CLOSED;
    if (!input_.probed.known())
        return true;
    const bool traced = input_.probed.traced(*section, site.offset);
    is_traced_ |= traced;
    site.no_probe = kept_out || !input_.probed.takes_probe(*section, site.offset);
    site.untraced = !traced;
    if (kept_out || traced)
        return true;
    if (enclosing.traced)
        site.marks |= SITE_MARK_UNLISTED;
    else
        site.body = enclosing.function;
    return true;
}

void UnitWalk::judge_key(Site &site, const Enclosing &enclosing, std::span<const ParamSlot> slots) {
    const uint64_t address = input_.file.sections()[site.section].address + site.offset;
    if (!site.no_probe || (site.marks & SITE_MARK_CLOSED) != 0 ||
        input_.flow_tables.key_at(address) == nullptr)
        return;
    const auto [entry, fresh] = at_keys_.try_emplace(address);
    if (fresh) {
        entry->second = changes_after_key(address, calls_.code_of(enclosing.body),
                                          input_.flow_tables, tools_.flows);
    }
    const auto &changes = entry->second;
    if (changes && std::ranges::all_of(slots, [&](ParamSlot slot) {
            return (slot & kMissing) != 0 || keeps(sites_.loc_params[slot], *changes);
        }))
        site.marks |= SITE_MARK_AFTER_KEY;
}

void UnitWalk::begin_params(OpenSite &site) {
    site.first_slot = slots_.size();
    slots_.resize(slots_.size() + site.function.params.size(),
                  missing_slot(MissingReason::kOptimizedOut));
    if (site.function.variadic)
        slots_.push_back(kVariadicEnd);
}

uint64_t UnitWalk::visit_site(const Die &die, uint64_t after_attributes, Site site, OpenSite open,
                              uint32_t depth) {
    site.function = open.function.number;
    if (!place_site(site, open.point.address, open.enclosing)) {
        ++sites_.outside_sections;
        return visit_children(die, after_attributes,
                              {.enclosing = &open.enclosing, .frame = open.frame}, depth);
    }
    if (open.body &&
        input_.symbols.part(sites_.functions[site.function].name, site.section, site.offset))
        site.marks |= SITE_MARK_PART;
    begin_params(open);
    const uint64_t next = visit_children(
        die, after_attributes,
        {.enclosing = &open.enclosing, .site = &open, .frame = open.frame, .has_params = true},
        depth);
    const std::span<const ParamSlot> slots = std::span(slots_).subspan(open.first_slot);
    site.params = sites_.param_lists.add(slots);
    if (site.site_class == SiteClass::kInline)
        judge_key(site, open.enclosing, slots);
    if (open.instance)
        instances_[*open.instance].site = sites_.sites.size();
    if (open.remainder)
        remainder_sites_[*open.remainder] = sites_.sites.size();
    sites_.sites.push_back(site);
    if (open.body)
        tools_.clones.add({.unit = unit_,
                           .place = *open.body,
                           .site = site,
                           .function = open.function,
                           .slots = slots,
                           .parts = open.parts},
                          functions_, param_slots_, sites_);
    slots_.resize(open.first_slot);
    return next;
}

void UnitWalk::locate_params_again(const Die &die, OpenSite &site) {
    uint64_t offset = die.abbreviation->has_children ? unit_.after_attributes(die) : 0;
    while (offset != 0) {
        const Die child = unit_.die_at(offset);
        if (!child.abbreviation)
            break;
        offset = child.tag() == DW_TAG_formal_parameter ? visit_parameter(child, site)
                                                        : unit_.next_sibling(child);
    }
}

// A copy that may be of a remainder is judged as that. If it may also be of an instance that does
// not begin the calls of the remainder, it is not known whose it is.
uint8_t UnitWalk::mark_of_copy(const CopiedEntries::Copy &copy) {
    std::optional<uint8_t> mark;
    for (const uint32_t number : copy.instances)
        if (const auto remainder = instances_[number].remainder)
            mark = mark_of_remainder(calls_.remainders()[*remainder], copy.point.address);
    if (!mark || *mark == 0)
        return 0;
    const bool is_of_others = std::ranges::any_of(copy.instances, [&](uint32_t number) {
        return !instances_[number].remainder && !calls_.has_remainder(number);
    });
    return is_of_others ? SITE_MARK_NO_ENTRY : *mark;
}

// Several instances may be the one that is copied: then a parameter is located if it is at the same
// place in all of them.
void UnitWalk::add_copied_site(const CopiedEntries::Copy &copy, uint8_t marks) {
    const Instance &first = instances_[copy.instances.front()];
    Site site{.function = first.function->number,
              .marks = static_cast<uint8_t>(marks | mark_of_copy(copy))};
    const auto pieces = copied_entries_.ranges_of_body(first.enclosing.body);
    if ((!pieces.empty() && !hold(pieces, copy.point.address)) ||
        !place_site(site, copy.point.address, first.enclosing))
        return;
    std::vector<ParamSlot> agreed;
    for (const uint32_t number : copy.instances) {
        const Instance &instance = instances_[number];
        if (instance.function != first.function)
            return;
        if (is_loop_head(copy.point.address, copied_entries_.ranges_of(number)))
            site.marks |= SITE_MARK_LOOP_HEAD;
        OpenSite open{
            .function = *instance.function, .point = copy.point, .enclosing = instance.enclosing};
        begin_params(open);
        locate_params_again(unit_.die_at(instance.die), open);
        if (agreed.empty())
            agreed.swap(slots_);
        for (size_t i = 0; i < slots_.size(); ++i)
            if (agreed[i] != slots_[i])
                agreed[i] = missing_slot(MissingReason::kNoLocationHere);
        slots_.clear();
    }
    site.params = sites_.param_lists.add(agreed);
    judge_key(site, first.enclosing, agreed);
    sites_.sites.push_back(site);
}

uint64_t UnitWalk::visit_parameter(const Die &die, OpenSite &site) {
    ParameterPlace place;
    uint64_t entry = die.offset;  // of the parameter in the abstract instance
    const uint64_t next =
        unit_.for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
            if (!place.set(name, value) && name == DW_AT_abstract_origin)
                entry = value.kind == AttributeValue::kReference ? value.number : 0;
        });
    if (next == 0)
        return 0;
    const int position = functions_.position_of(site.function, entry, die.offset);
    if (position >= 0) {
        const auto number = static_cast<size_t>(position);
        // A parameter may have several entries: the first with a location here counts, even if
        // the wire format has no shape for it.
        ParamSlot &slot = slots_[site.first_slot + number];
        if (slot == missing_slot(MissingReason::kOptimizedOut) ||
            slot == missing_slot(MissingReason::kNoLocationHere)) {
            const uint64_t size = site.function.params[number].size;
            const Location found = locate(place, site, size);
            if (found.reason != MissingReason::kOptimizedOut)
                slot = param_slots_.slot_of(found);
            if (found.reason == MissingReason::kPieces && site.body)
                if (auto parts = register_parts(context_of(site)
                                                    .expression(place.location, place.locviews)
                                                    .value_or(Bytes()),
                                                size))
                    site.parts[position] = std::move(*parts);
        }
        if (sites_.has_last_values)
            note_values(number, place, site);
    }
    return die.abbreviation->has_children ? unit_.next_sibling(die) : next;
}

SiteContext UnitWalk::context_of(const OpenSite &site, uint64_t distance) const {
    const CodePoint point = {.address = site.point.address + distance, .view = site.point.view};
    return SiteContext(input_.file, unit_, *tools_.frames, tools_.types, point, site.enclosing,
                       piece_at(copied_entries_.ranges_of_body(site.enclosing.body), point.address),
                       site.body != nullptr);
}

Location UnitWalk::locate(const ParameterPlace &place, const OpenSite &site, uint64_t size) {
    SiteContext here = context_of(site);
    const Location found = place.at(here, size, format_);
    if (found.reason != MissingReason::kNoLocationHere || !site.body || !sites_.has_last_values)
        return found;
    // LLVM's lists begin after the hooks of tracers, which leave registers and stack as they are.
    const uint64_t hooks = tools_.assigned.hooks_size(site.point.address);
    if (hooks == 0)
        return found;
    SiteContext after = context_of(site, hooks);
    return place.at(after, size, format_);
}

void UnitWalk::note_values(size_t position, const ParameterPlace &place, const OpenSite &site) {
    const AttributeValue &location = place.location;
    if (!location)
        return;
    std::vector<AssignedParams::Entry> entries;
    if (location.kind == AttributeValue::kBlock) {
        // It is of the whole scope. Only its last instruction may write to the place.
        std::vector<CodeRange> ranges = site.ranges;
        join(ranges);
        for (size_t i = 0; i < ranges.size(); ++i)
            entries.push_back({{ranges[i].begin, ranges[i].end + (i + 1 < ranges.size() ? 1 : 0)},
                               location.block});
    } else if (!for_each_location(sections_, unit_, location,
                                  [&](CodeRange range, Bytes expression) {
                                      entries.push_back({range, expression});
                                  })) {
        return;
    }
    const AssignedParams::Values found = tools_.assigned.values(
        std::move(entries), {.frame_register = frame_register(site.enclosing.frame_base),
                             .at_entry = site.body != nullptr});
    auto &values = sites_.functions[site.function.number].values;
    const uint64_t bit = uint64_t{1} << std::min<size_t>(position, 63);
    if (found.may_be_assigned)
        values.assigned |= bit;
    if (found.is_placed) {
        values.again |= values.placed & bit;
        values.placed |= bit;
    }
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
