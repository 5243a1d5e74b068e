// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/source_functions.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "userspace/generator/sites/closed_code.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxOrigins = 8;  // steps from an instance to its function

// SYSCALL_DEFINEx of Linux 4.17 and later declares these inline. GCC (14.2) says what is inline
// only of functions that are inlined somewhere, or have another body.
bool is_inner_syscall(std::string_view name) {
    return name.starts_with("__do_sys_") || name.starts_with("__do_compat_sys_");
}

// The attributes of a function's abstract instance, or of its only entry, and of the declaration
// that this completes.
struct Attributes {
    std::string_view name;
    std::optional<uint64_t> file;
    SourcePlace declared;  // without the file
    TypeRef result = 0;
    bool external = false;
    bool prototyped = false;
    bool declared_inline = false;
    uint64_t specification = 0;  // the declaration; 0: there is none

    // Name, place and type of an entry that is added later count only if they are missing so far.
    void add(const Unit &unit, const Die &die) {
        unit.for_each_attribute(
            die, [&](uint16_t attribute, const AttributeValue &value) { set(attribute, value); });
    }

    void set(uint16_t attribute, const AttributeValue &value) {
        switch (attribute) {
        case DW_AT_name:
            if (name.empty())
                name = value.string;
            break;
        case DW_AT_decl_file:
            if (!file)
                file = value.number;
            break;
        case DW_AT_decl_line:
            if (declared.line == 0)
                declared.line = value.number;
            break;
        case DW_AT_decl_column:
            if (declared.column == 0)
                declared.column = value.number;
            break;
        case DW_AT_type:
            if (result == 0)
                result = type_ref(value);
            break;
        case DW_AT_external:
            external = value.number != 0;
            break;
        case DW_AT_prototyped:
            prototyped = value.number != 0;
            break;
        case DW_AT_inline:
            declared_inline = value.number == DW_INL_declared_not_inlined ||
                              value.number == DW_INL_declared_inlined;
            break;
        case DW_AT_specification:
            if (value.kind == AttributeValue::kReference)
                specification = value.number;
            break;
        default:
            break;
        }
    }
};

}  // namespace

SourceFunctions::SourceFunctions(const ReaderInput &input, const Unit &unit, DwarfTypes &types,
                                 UnitSites &sites, std::pmr::memory_resource *memory)
    : input_(input), unit_(unit), types_(types), sites_(sites),
      unit_path_(keep(input.source_tree.relative(unit.name))),
      type_map_(input.base, input.new_types, types, memory), memory_(memory), functions_(memory) {}

const SourceFunctions::Function *SourceFunctions::at(uint64_t die_offset, uint64_t from) {
    const auto known = functions_.find(die_offset);
    if (known != functions_.end())
        return known->second;
    uint64_t root = die_offset;
    for (uint32_t i = 0; i < kMaxOrigins; ++i) {
        const Unit *unit = unit_at(root);
        const Die die = unit ? unit->die_at(root) : Die{};
        if (die.tag() != DW_TAG_subprogram)
            break;
        const AttributeValue origin = unit->attribute(die, DW_AT_abstract_origin);
        if (origin.kind == AttributeValue::kReference) {
            root = origin.number;
            continue;
        }
        const Function *&function = functions_[root];
        if (!function)
            function = read(*unit, die);
        return function;
    }
    note_dangling(from);
    return nullptr;
}

void SourceFunctions::note_dangling(uint64_t from) const {
    if (sites_.error.empty())
        sites_.error =
            fmt::format(".debug_info: entry at {:#x} refers to an entry that is missing", from);
}

int SourceFunctions::position_of(const Function &function, uint64_t die_offset,
                                 uint64_t from) const {
    for (uint32_t i = 0; i < kMaxOrigins; ++i) {
        for (size_t position = 0; position < function.params.size(); ++position)
            if (function.params[position].die == die_offset)
                return static_cast<int>(position);
        const Unit *unit = unit_at(die_offset);
        const Die die = unit ? unit->die_at(die_offset) : Die{};
        if (!die.abbreviation)
            break;
        const AttributeValue origin = unit->attribute(die, DW_AT_abstract_origin);
        if (origin.kind != AttributeValue::kReference)
            return -1;
        die_offset = origin.number;
    }
    note_dangling(from);
    return -1;
}

bool SourceFunctions::written_by_macro(const Function &function) {
    const Unit *unit = unit_at(function.die);
    const Die root = unit ? unit->die_at(function.die) : Die{};
    uint64_t offset = root.abbreviation ? unit->after_attributes(root) : 0;
    uint32_t depth = root.abbreviation && root.abbreviation->has_children ? 1 : 0;
    while (offset != 0 && depth != 0) {
        const Die die = unit->die_at(offset);
        if (die.tag() == DW_TAG_formal_parameter || die.tag() == DW_TAG_variable) {
            SourcePlace declared;
            unit->for_each_attribute(die, [&](uint16_t name, const AttributeValue &value) {
                declared.set(name, value);
            });
            const bool same_number = unit == function.file_unit;
            if (declared.line == function.declared.line &&
                declared.column == function.declared.column &&
                (same_number ? declared.file == function.declared.file
                             : path_of(*unit, declared.file) ==
                                   path_of(*function.file_unit, function.declared.file)))
                return true;
        }
        const bool is_block = die.tag() == DW_TAG_lexical_block && die.abbreviation->has_children;
        if (die.ends_children)
            --depth;
        else if (is_block)
            ++depth;
        else if (!die.abbreviation)
            break;
        offset = die.ends_children ? die.attributes
                 : is_block        ? unit->after_attributes(die)
                                   : unit->next_sibling(die);
    }
    return false;
}

std::string_view SourceFunctions::file_of(const Unit &unit, uint64_t number) {
    Files &files = files_of(unit);
    if (number >= files.written.size())
        return {};
    if (files.normalized[number].empty() && !files.written[number].empty())
        files.normalized[number] = keep(input_.source_tree.relative(files.written[number]));
    return files.normalized[number];
}

SourceFunctions::Files &SourceFunctions::files_of(const Unit &unit) {
    const auto [entry, fresh] =
        files_.try_emplace({&unit.sections(), unit.line_offset.value_or(kNowhere)});
    Files &files = entry->second;
    if (fresh) {
        files.written = file_table(unit.sections(), unit);
        files.normalized.resize(files.written.size());
    }
    return files;
}

std::string SourceFunctions::path_of(const Unit &unit, uint64_t number) {
    const std::vector<std::string> &written = files_of(unit).written;
    if (number >= written.size() || written[number].empty())
        return {};
    if (written[number].starts_with('/'))
        return normalized_path(written[number]);
    // A partial unit is a part of the units that import it, and may leave to them what it shares.
    const std::string_view folder =
        unit.comp_dir.empty() && unit.is_partial() ? unit_.comp_dir : unit.comp_dir;
    return normalized_path(std::string(folder) + '/' + written[number]);
}

std::optional<SourcePlace> SourceFunctions::place_here(const Unit &unit, SourcePlace place) {
    if (&unit == &unit_)
        return place;
    if (same_files_.empty()) {
        const size_t count = files_of(unit_).written.size();
        for (uint64_t number = 0; number < count; ++number)
            same_files_.push_back(
                own_files_.try_emplace(path_of(unit_, number), number).first->second);
    }
    const std::string path = path_of(unit, place.file);
    const auto own = own_files_.find(path);
    if (path.empty() || own == own_files_.end())
        return std::nullopt;
    place.file = own->second;
    return place;
}

std::string_view SourceFunctions::keep(std::string text) {
    return sites_.paths.emplace_back(std::move(text));
}

uint32_t SourceFunctions::add(const SourceFunction &function) {
    const auto number = static_cast<uint32_t>(sites_.functions.size());
    SourceFunction &added = sites_.functions.emplace_back(function);
    added.nr_params = static_cast<uint32_t>(sites_.param_types.size()) - added.first_param;
    added.base_id = input_.base.func(added.name, added.return_type, sites_.types_of(added),
                                     sites_.names_of(added), added.variadic);
    return number;
}

const Unit *SourceFunctions::unit_at(uint64_t offset) const {
    if (offset >= unit_.header.offset && offset < unit_.header.end)
        return &unit_;
    return input_.units.at(offset);
}

const SourceFunctions::Function *SourceFunctions::read(const Unit &unit, const Die &die) {
    Attributes attributes;
    attributes.add(unit, die);
    const Unit *file_unit = &unit;  // numbers of files are those of this unit
    if (attributes.specification != 0) {
        const Unit *unit_around = unit_at(attributes.specification);
        const Die declaration = unit_around ? unit_around->die_at(attributes.specification) : Die{};
        if (!declaration.abbreviation) {
            note_dangling(die.offset);
            return nullptr;
        }
        if (!attributes.file)
            file_unit = unit_around;
        attributes.add(*unit_around, declaration);
    }
    if (attributes.name.empty())
        return nullptr;
    SourceFunction source;
    source.name = attributes.name;
    source.external = attributes.external;
    source.declared_inline = (attributes.declared_inline || is_inner_syscall(source.name)) &&
                             !closed_by_name(source.name);
    if (attributes.file)
        source.file = file_of(*file_unit, *attributes.file);
    // A partial unit is a part of the units that import it.
    source.unit = &unit == &unit_ || unit.is_partial()
                      ? unit_path_
                      : keep(input_.source_tree.relative(unit.name));
    source.return_type = type_map_.map(attributes.result);
    source.first_param = static_cast<uint32_t>(sites_.param_types.size());
    source.variadic = read_params(unit, die);
    // "-g1" leaves all types and parameters out. A prototype with nothing but the end of a variadic
    // one says that.
    if (unit_.is_c() && !attributes.prototyped && attributes.result == 0 && params_.empty())
        source.variadic = true;
    const std::span params(memory_.allocate_object<Param>(params_.size()), params_.size());
    std::uninitialized_copy(params_.begin(), params_.end(), params.begin());
    auto *function = memory_.new_object<Function>();
    function->number = add(source);
    function->params = params;
    function->variadic = source.variadic;
    function->declared = attributes.declared;
    function->die = die.offset;
    function->file_unit = file_unit;
    if (attributes.file) {
        function->declared.file = *attributes.file;
        if (attributes.declared.line != 0)
            function->here = place_here(*file_unit, function->declared);
    }
    return function;
}

bool SourceFunctions::read_params(const Unit &unit, const Die &die) {
    params_.clear();
    bool variadic = false;
    uint64_t offset = die.abbreviation->has_children ? unit.after_attributes(die) : 0;
    while (offset != 0) {
        const Die child = unit.die_at(offset);
        if (!child.abbreviation)
            break;
        if (child.tag() == DW_TAG_formal_parameter) {
            const TypeRef type = type_ref(unit.attribute(child, DW_AT_type));
            params_.push_back({.die = child.offset, .type = type, .size = types_.size_of(type)});
            sites_.param_types.push_back(type_map_.map_param(type));
            sites_.param_names.push_back(unit.attribute(child, DW_AT_name).string);
        } else if (child.tag() == DW_TAG_unspecified_parameters) {
            variadic = true;
        }
        offset = unit.next_sibling(child);
    }
    return variadic;
}

}  // namespace btf_extra::generator
