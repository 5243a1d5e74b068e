// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/variables.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include <fmt/format.h>

#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

bool matches(std::string_view pattern, const std::string &name) {
    return name_glob_matches(pattern.data(), static_cast<uint32_t>(pattern.size()), name.c_str());
}

// How far the object is from where it was linked. none: it is not known.
std::optional<uint64_t> displacement(const SiteTables &tables, const SiteObject &object) {
    for (const ObjectSection &section : object.view->file().sections)
        if (section.name == ".text" && section.address != 0)
            return tables.running() ? object.text - section.address : 0;
    return std::nullopt;
}

// Returns the address of the first symbol of the name in the object, which is that of a VAR.
std::optional<uint64_t> symbol_address(const SiteTables &tables, const SiteObject &object,
                                       const std::string &name) {
    const Symbols *symbols = tables.symbols();
    if (!symbols)
        return std::nullopt;
    std::optional<uint64_t> first;
    for (const Place &place : symbols->places(name)) {
        const std::string_view module = symbols->module_of(name, place);
        if (tables.running() && (module.empty() ? "vmlinux" : module) != object.name)
            continue;
        uint64_t address = place.offset;
        if (const ElfImage *elf = tables.elf(); elf && place.section != 0) {
            const auto section =
                std::ranges::find(elf->sections(), place.section, &ElfSection::index);
            if (elf->relocatable() || section == elf->sections().end())
                return std::nullopt;
            address += section->address;
        }
        first = std::min(first.value_or(address), address);
    }
    return first;
}

void find_in(const SiteTables &tables, const SharedObject &object, std::string_view pattern,
             std::vector<FoundVariable> &found) {
    const btf_blob &blob = object->view->types().blob();
    const auto &list = object->view->file().variables;
    const size_t before = found.size();
    size_t number = 0;
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        if (loc_kind(type) != BTF_KIND_VAR)
            continue;
        const size_t var = number++;
        const std::string name = btf_blob_string(&blob, type->name_off);
        if (!matches(pattern, name))
            continue;
        FoundVariable variable{.object = object, .name = name, .id = id, .type_id = type->type};
        variable.global = reinterpret_cast<const btf_var *>(type + 1)->linkage != BTF_VAR_STATIC;
        if (list && var < list->var_files.size() && list->var_files[var] != VariableList::kNone)
            variable.file = list->files[list->var_files[var]];
        variable.address = symbol_address(tables, *object, name);
        found.push_back(std::move(variable));
    }
    if (!list)
        return;
    const std::optional<uint64_t> moved = displacement(tables, *object);
    for (const VariableList::LeftOut &each : list->left_out) {
        if (!matches(pattern, each.name))
            continue;
        FoundVariable variable{.object = object, .name = each.name, .reason = each.reason};
        if (each.file != VariableList::kNone)
            variable.file = list->files[each.file];
        if (each.section != VariableList::kNone) {
            const VariableList::Section &section = list->sections[each.section];
            variable.place = fmt::format("{}+{:#x}", section.name, each.offset);
            // Per-CPU data has a copy for each processor, and none where it is linked.
            if (moved && section.address != 0 && each.reason != VariableReason::kPerCpu)
                variable.address = section.address + each.offset + *moved;
        }
        found.push_back(std::move(variable));
    }
    std::stable_sort(
        found.begin() + static_cast<ptrdiff_t>(before), found.end(),
        [](const FoundVariable &a, const FoundVariable &b) { return a.name < b.name; });
}

}  // namespace

Result<std::vector<FoundVariable>> find_variables(SiteTables &tables, const std::string &text) {
    const size_t colon = text.find(':');
    const std::string_view whole(text);
    const std::string_view object = colon == text.npos ? "*" : whole.substr(0, colon);
    const std::string_view name = colon == text.npos ? whole : whole.substr(colon + 1);
    std::vector<FoundVariable> found;
    for (const SharedObject &each : *TRY(tables.objects()))
        if (matches(object, each->name))
            find_in(tables, each, name, found);
    if (found.empty())
        return Error{fmt::format("{}: no variable {}", tables.name(), text), ENOENT};
    return found;
}

Result<FoundVariable> find_typed_variable(SiteTables &tables, const std::string &object,
                                          const std::string &name) {
    const std::string text = object.empty() ? name : object + ":" + name;
    auto found = TRY(find_variables(tables, text));
    const auto typed = std::ranges::find_if(
        found, [](const FoundVariable &each) { return !each.reason && each.address; });
    if (typed != found.end())
        return std::move(*typed);
    const auto &reason = found.front().reason;
    return Error{reason ? fmt::format("{}: the tables do not have its type: {}", text,
                                      btf_extra::text(*reason))
                        : fmt::format("{}: {}", text, kHiddenAddresses),
                 reason ? ENODATA : EPERM};
}

}  // namespace btf_extra
