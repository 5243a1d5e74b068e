// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/dwarf_reader.h"

#include <fmt/format.h>

#include "userspace/format/core_api.h"
#include "userspace/generator/locations/parameter_place.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxDepth = 512;  // of nested entries
constexpr uint64_t kLangRust = 0x1c;
constexpr uint64_t kLangAssembly = 0x31;

}  // namespace

UnitReader::UnitReader(const ReaderInput &input, std::unique_ptr<FrameTable> frames)
    : input_(input), sections_(input.file.dwarf()), frames_(std::move(frames)), types_(input.units),
      loop_heads_(input.file), clones_(input, types_) {}

UnitReader::~UnitReader() = default;

UnitSites UnitReader::read(const Unit &unit) {
    UnitSites sites;
    sites.skipped_rust = unit.language == kLangRust;
    if (sites.skipped_rust || unit.language == DW_LANG_Mips_Assembler ||
        unit.language == kLangAssembly)
        return sites;
    sites_ = &sites;
    unit_ = &unit;
    format_ = {.registers = loc_machine_registers(input_.file.elf().machine()),
               .address_size = unit.header.address_size,
               .offset_size = unit.header.offset_size,
               .version = static_cast<uint8_t>(unit.header.version)};
    marks_entries_ = false;
    tables_.emplace(input_, unit, types_, sites);
    const Die die = unit.unit_die();
    const uint64_t children = unit.after_attributes(die);
    if (children == 0)
        fail(unit.header.offset);
    else if (die.abbreviation->has_children)
        walk(children, {}, 0);
    if (!marks_entries_)
        for (Site &site : sites.sites)
            site.marks &= static_cast<uint8_t>(~SITE_MARK_NO_ENTRY);
    for (const CopiedEntries::Copy &copy : copied_entries_.find(sections_, unit))
        add_copied_site(copy);
    copied_entries_.clear();
    instances_.clear();
    tables_.reset();
    slots_.clear();
    return sites;
}

uint64_t UnitReader::fail(uint64_t offset) {
    if (sites_->error.empty())
        sites_->error = fmt::format(".debug_info: malformed entry at {:#x}", offset);
    return 0;
}

uint64_t UnitReader::walk(uint64_t offset, const Scope &scope, uint32_t depth) {
    if (depth > kMaxDepth)
        return fail(offset);
    while (offset < unit_->header.end) {
        const Die die = unit_->die_at(offset);
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
            next = scope.own_only ? unit_->next_sibling(die) : visit_inlined(die, scope, depth);
            break;
        case DW_TAG_formal_parameter:
            next = scope.function ? visit_parameter(die, scope) : unit_->next_sibling(die);
            break;
        case DW_TAG_lexical_block: {
            next = unit_->after_attributes(die);
            Scope inner = scope;
            inner.function = nullptr;
            if (next != 0 && die.abbreviation->has_children)
                next = walk(next, inner, depth + 1);
            break;
        }
        default:
            next = unit_->next_sibling(die);
            break;
        }
        if (next == 0)
            return fail(offset);
        offset = next;
    }
    return depth == 0 ? offset : fail(offset);
}

uint64_t UnitReader::visit_subprogram(const Die &die, uint32_t depth) {
    CodePlace place;
    Enclosing enclosing;
    const uint64_t next =
        unit_->for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
            if (!place.set(name, value) && name == DW_AT_frame_base)
                enclosing.frame_base = value;
        });
    if (next == 0)
        return 0;
    const std::optional<uint64_t> address = place.entry(sections_, *unit_);
    // Abstract instances and declarations are read when a site asks for them.
    if (!address)
        return unit_->next_sibling(die);
    enclosing.entry = *address;
    Scope scope;
    scope.function = tables_->functions.at(die.offset);
    if (is_overridden(scope.function, *address)) {
        ++sites_->overridden_bodies;
        return unit_->next_sibling(die);
    }
    ranges_.clear();
    place.append_ranges(sections_, *unit_, ranges_);
    copied_entries_.add_body(scope.function ? scope.function->declared : SourcePlace{}, *address,
                             ranges_);
    scope.enclosing = &enclosing;
    scope.point = {.address = *address, .view = 0};
    scope.body = &place;
    parts_.clear();
    return visit_site(die, next, Site{.site_class = SiteClass::kBody}, scope, depth);
}

uint64_t UnitReader::visit_inlined(const Die &die, const Scope &scope, uint32_t depth) {
    CodePlace place;
    SourcePlace call;
    AttributeValue origin;
    uint64_t view = 0;
    const uint64_t next =
        unit_->for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
            if (place.set(name, value))
                return;
            switch (name) {
            case DW_AT_abstract_origin:
                origin = value;
                break;
            case DW_AT_GNU_entry_view:
                view = value.number;
                marks_entries_ = true;
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
        });
    if (next == 0)
        return 0;
    Site site{.site_class = SiteClass::kInline};
    Scope inner;
    inner.enclosing = scope.enclosing;
    const std::optional<uint64_t> address = place.entry(sections_, *unit_);
    if (address && scope.enclosing) {
        ++sites_->inline_instances;
        inner.point = {.address = *address, .view = view};
        if (origin.kind == AttributeValue::kReference)
            inner.function = tables_->functions.at(origin.number);
    }
    if (inner.function) {
        if (!place.entry_pc)
            site.marks |= SITE_MARK_NO_ENTRY;
        ranges_.clear();
        place.append_ranges(sections_, *unit_, ranges_);
        if (loop_heads_.is_loop_head(*address, ranges_))
            site.marks |= SITE_MARK_LOOP_HEAD;
        // Where the compiler knows beforehand which way a call goes, it may run the rest without
        // the beginning, which then lies elsewhere, as a rule behind it: each is a call.
        if (scope.point.address <= *address && is_part(inner.function, scope, call))
            site.marks |= SITE_MARK_PART;
        if (inner.function->declared_here && place.entry_pc) {
            copied_entries_.add_instance(inner.function->declared, *address, ranges_);
            instances_.push_back({.die = die.offset,
                                  .function = inner.function,
                                  .enclosing = *inner.enclosing,
                                  .marks = static_cast<uint8_t>(site.marks & SITE_MARK_PART)});
        }
    }
    return visit_site(die, next, site, inner, depth);
}

// GCC says that the beginning of a function calls its rest where the function is declared; what a
// function calls by itself is called behind that.
bool UnitReader::is_part(const Function *function, const Scope &scope, const SourcePlace &call) {
    return function == scope.site && call.line != 0 && call.line == function->declared.line &&
           call.column == function->declared.column &&
           tables_->functions.file_of(*unit_, call.file) ==
               sites_->functions[function->number].file;
}

bool UnitReader::is_overridden(const Function *function, uint64_t address) const {
    const auto section = input_.file.executable_section(address);
    if (!function || !section)
        return false;
    const SourceFunction &source = sites_->functions[function->number];
    return source.external &&
           input_.symbols.overridden(source.name, *section,
                                     address - input_.file.sections()[*section].address);
}

bool UnitReader::place_site(Site &site, uint64_t address) const {
    const auto section = input_.file.executable_section(address);
    if (!section)
        return false;
    site.section = *section;
    site.offset = static_cast<uint32_t>(address - input_.file.sections()[*section].address);
    return true;
}

void UnitReader::begin_params(Scope &scope) {
    scope.first_slot = slots_.size();
    if (!scope.function)
        return;
    slots_.resize(slots_.size() + scope.function->params.size(),
                  missing_slot(MissingReason::kOptimizedOut));
    if (scope.function->variadic)
        slots_.push_back(kVariadicEnd);
}

uint64_t UnitReader::visit_site(const Die &die, uint64_t after_attributes, Site site, Scope scope,
                                uint32_t depth) {
    if (scope.function) {
        site.function = scope.function->number;
        if (!place_site(site, scope.point.address)) {
            ++sites_->outside_sections;
            scope.function = nullptr;
        } else if (site.site_class == SiteClass::kBody &&
                   input_.symbols.part(sites_->functions[site.function].name, site.section,
                                       site.offset)) {
            site.marks |= SITE_MARK_PART;
        }
    }
    scope.site = scope.function;
    begin_params(scope);
    const uint64_t next = die.abbreviation->has_children ? walk(after_attributes, scope, depth + 1)
                                                         : after_attributes;
    if (scope.function) {
        site.params = sites_->param_lists.add(std::span(slots_).subspan(scope.first_slot));
        sites_->sites.push_back(site);
        if (scope.body)
            clones_.add({.unit = *unit_,
                         .place = *scope.body,
                         .site = site,
                         .function = *scope.function,
                         .slots = std::span(slots_).subspan(scope.first_slot),
                         .parts = parts_},
                        tables_->functions, tables_->param_slots, *sites_);
        slots_.resize(scope.first_slot);
    }
    return next;
}

// Where it is not known of which instance it is, a parameter is located if all say the same.
void UnitReader::add_copied_site(const CopiedEntries::Copy &copy) {
    const Instance &first = instances_[copy.instances.front()];
    Site site{.function = first.function->number, .marks = SITE_MARK_PART};
    if (!place_site(site, copy.point.address))
        return;
    std::vector<ParamSlot> agreed;
    for (const uint32_t number : copy.instances) {
        const Instance &instance = instances_[number];
        if (instance.function != first.function)
            return;
        if (loop_heads_.is_loop_head(copy.point.address, copied_entries_.ranges_of(number)))
            site.marks |= SITE_MARK_LOOP_HEAD;
        if (!(instance.marks & SITE_MARK_PART))
            site.marks &= static_cast<uint8_t>(~SITE_MARK_PART);
        Scope scope{.function = instance.function,
                    .point = copy.point,
                    .enclosing = &instance.enclosing,
                    .own_only = true};
        begin_params(scope);
        const Die die = unit_->die_at(instance.die);
        if (die.abbreviation->has_children)
            walk(unit_->after_attributes(die), scope, 1);
        if (agreed.empty())
            agreed.swap(slots_);
        for (size_t i = 0; i < slots_.size(); ++i)
            if (agreed[i] != slots_[i])
                agreed[i] = missing_slot(MissingReason::kNoLocationHere);
        slots_.clear();
    }
    site.params = sites_->param_lists.add(agreed);
    sites_->sites.push_back(site);
}

uint64_t UnitReader::visit_parameter(const Die &die, const Scope &scope) {
    ParameterPlace place;
    uint64_t entry = die.offset;  // of the parameter in the abstract instance
    const uint64_t next =
        unit_->for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
            if (!place.set(name, value) && name == DW_AT_abstract_origin)
                entry = value.kind == AttributeValue::kReference ? value.number : 0;
        });
    if (next == 0)
        return 0;
    const int position = tables_->functions.position_of(*scope.function, entry);
    if (position >= 0) {
        // Of several entries for one parameter the first with a location here
        // counts, whether or not it has a shape of the wire format.
        ParamSlot &slot = slots_[scope.first_slot + static_cast<size_t>(position)];
        if (slot == missing_slot(MissingReason::kOptimizedOut) ||
            slot == missing_slot(MissingReason::kNoLocationHere)) {
            const uint64_t size = scope.function->params[static_cast<size_t>(position)].size;
            SiteContext site(input_.file, *unit_, *frames_, types_, scope.point, *scope.enclosing);
            const Location found = place.at(site, size, format_);
            if (found.reason != MissingReason::kOptimizedOut)
                slot = tables_->param_slots.slot_of(found);
            if (found.reason == MissingReason::kPieces && scope.body)
                if (auto parts = register_parts(
                        site.expression(place.location, place.locviews).value_or(Bytes()), size))
                    parts_[position] = std::move(*parts);
        }
    }
    return die.abbreviation->has_children ? unit_->next_sibling(die) : next;
}

}  // namespace btf_extra::generator
