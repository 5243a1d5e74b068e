// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/probing/func_survey.h"

#include <algorithm>

#include "userspace/lib/tables/inline_chain.h"
#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

void count_site(const ObjectView &view, uint32_t loc_proto, bool variadic, FuncSurvey &func) {
    const btf_type *proto = btf_blob_type(&view.locations().blob(), loc_proto);
    const uint32_t count = loc_vlen(proto) - (variadic && loc_vlen(proto) != 0);
    func.params.resize(count);
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        const bool located = loc_proto_ids(proto)[i] != 0;
        func.params[i].located += located;
        all = all && located;
    }
    func.located += all;
    for (const loc_expression_entry &entry : view.expressions_of(loc_proto))
        func.params[entry.param].computed++;
}

// Other functions that the compiler has found equal may share the body.
void add_true_signatures(const ObjectView &view, uint32_t body, FuncSurvey &func) {
    for (const uint32_t other : view.true_signatures(body)) {
        const std::string_view name = view.func_name(other);
        if (name.starts_with(func.name) && name.substr(func.name.size()).starts_with('.'))
            func.true_signatures.push_back(other);
    }
}

SurveyedNames surveyed_names(const AttachNames &names, const FuncSurvey &func) {
    SurveyedNames out;
    for (const SurveyedBody &body : func.bodies)
        if (body.begin)
            out.symbols[names.symbol_of_body(*body.begin, func.name)]++;
    NameFacts facts = names.facts(*func.object, func.id, func.name);
    facts.has_llvm = std::ranges::any_of(out.symbols, [](const auto &symbol) {
        return symbol.first.find(".llvm.") != std::string_view::npos;
    });
    const auto listed = [&](NameVerdict verdict) {
        uint32_t missed = func.sites();
        if (verdict.symbol && verdict.symbol->object == func.object->name)
            missed -= static_cast<uint32_t>(std::ranges::count(
                func.bodies, std::optional(verdict.symbol->place), &SurveyedBody::begin));
        return NameOutcome{std::move(verdict), missed};
    };
    out.kprobe = listed(kprobe_by_name(facts));
    out.fentry = listed(fentry_by_name(facts));
    return out;
}

}  // namespace

FuncSurvey survey_func(const FoundFunc &found, const AttachNames &names, const SitePlacer *placer,
                       bool files) {
    const ObjectView &view = *found.object->view;
    const btf_blob &blob = view.locations().blob();
    FuncSurvey out = {};
    out.object = found.object;
    out.id = found.id;
    out.name = view.func_name(found.id);
    out.file = view.func_file(found.id);
    out.shares_name = view.shares_name(found.id);
    const bool variadic = view.is_variadic(found.id);
    const bool of_source = !view.is_true_signature(found.id);
    for (const btf_extra_site &site : found.sites) {
        if ((site.flags & BTF_EXTRA_SITE_PART) != 0) {
            out.parts++;
            continue;
        }
        const bool body = site.site_class == BTF_EXTRA_CLASS_BODY;
        if (body)
            out.bodies.push_back({site, names.has_symbols()
                                            ? names.begin_of_body(*found.object, site.number)
                                            : std::nullopt});
        else
            out.inlined++;
        if (body && of_source)
            add_true_signatures(view, site.number, out);
        const bool freed = (site.flags & BTF_EXTRA_SITE_FREED) != 0;
        out.freed += freed;
        if (placer != nullptr && !freed)
            if (const char *why = placer->refusal(*found.object, site).why)
                out.refused[why]++;
        if (files) {
            const SitePosition at = position_of(*found.object, site.number);
            out.files[body_file_at(*found.object, at.elf_section, at.offset).value_or("")]++;
        }
        count_site(view, site.loc_proto, variadic, out);
    }
    if (names.has_symbols())
        out.names = surveyed_names(names, out);
    const FuncParams known = func_params(blob, found.id);
    for (uint32_t i = 0; i < out.params.size() && i < known.count; i++)
        if (const char *name = btf_blob_string(&blob, known.params[i].name_off))
            out.params[i].name = name;
    return out;
}

}  // namespace btf_extra
