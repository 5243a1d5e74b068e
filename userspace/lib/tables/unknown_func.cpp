// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/unknown_func.h"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "userspace/text/nearest_names.h"

namespace btf_extra {
namespace {

std::string label_of(const FoundFunc &func) {
    const ObjectView &view = *func.object->view;
    return fmt::format("{}:{}", func.object->name, view.func_label(func.id));
}

// Names functions of that name in other objects and files; nothing: none exists.
std::string others_of_name(SiteTables &tables, const FuncText &text) {
    if (text.object.empty() && text.file.empty())
        return "";
    FuncText any = text;
    any.object.clear();
    any.file.clear();
    const auto found = tables.find(any);
    if (!found || found->empty())
        return "";
    std::string out;
    constexpr size_t kNamed = 3;
    for (size_t i = 0; i < std::min(found->size(), kNamed); i++)
        out += (i == 0 ? "; of that name: " : ", ") + label_of((*found)[i]);
    return found->size() > kNamed ? out + fmt::format(" and {} more", found->size() - kNamed) : out;
}

// Names a function that has another symbol there: GCC merges functions with the same code.
std::string merged_with(SiteTables &tables, const std::string &name, const Place &place) {
    for (const std::string_view other : tables.symbols()->names(place)) {
        if (other == name)
            continue;
        FuncText text;
        text.name = other;
        const auto found = tables.find(text);
        if (found && !found->empty())
            return fmt::format("; the symbol {} is at the code of {}", name, other);
    }
    return "";
}

// Says what else has that name.
std::string why_no_site(SiteTables &tables, const std::vector<SharedObject> &objects,
                        const std::string &name) {
    const Symbols *symbols = tables.symbols();
    const auto places = symbols != nullptr ? symbols->places(name) : std::vector<Place>();
    for (const Place &place : places) {
        const std::string_view module = symbols->module_of(name, place);
        const bool has_tables =
            module.empty() || std::ranges::any_of(objects, [&](const SharedObject &object) {
                return object->name == module;
            });
        if (!has_tables)
            return fmt::format("; {} is in module {}, which has no tables", name, module);
    }
    if (!places.empty()) {
        for (const Place &place : places)
            if (const std::string other = merged_with(tables, name, place); !other.empty())
                return other;
        const bool code = std::ranges::any_of(
            places, [&](const Place &place) { return symbols->is_code(name, place); });
        return code
                   ? fmt::format(
                         "; the symbol {} belongs to no C function with DWARF, like assembly", name)
                   : fmt::format("; {} is a variable", name);
    }
    for (const SharedObject &object : objects)
        for (const auto &level : object->view->base().levels())
            if (symbols != nullptr && level->has_func(name))
                return fmt::format("; the BTF contains {}, but the kernel has no code for it",
                                   name);
    return "";
}

}  // namespace

Error unknown_func(SiteTables &tables, const FuncText &text, std::string_view written) {
    Error out = {fmt::format("{}: no function {}", tables.name(), written), ENOENT};
    const auto objects = tables.objects();
    if (text.id || text.is_glob() || !objects)
        return out;
    std::string more = others_of_name(tables, text);
    if (more.empty())
        more = why_no_site(tables, **objects, text.name);
    if (more.empty()) {
        NearestNames nearest(text.name);
        const func_text core = text.core();
        for (const SharedObject &object : **objects) {
            const ObjectView &view = *object->view;
            if (!func_text_has_object(&core, object->name.c_str()))
                continue;
            // One object needs no name in front.
            const std::string prefix = (*objects)->size() > 1 ? object->name + ":" : "";
            for (const std::string_view name : view.func_names())
                nearest.add(name, prefix);
        }
        more = nearest_text(nearest);
    }
    out.message += more;
    return out;
}

}  // namespace btf_extra
