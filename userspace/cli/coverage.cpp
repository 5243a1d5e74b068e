// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/coverage.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace btf_extra {
namespace {

void count_records(const btf_blob &blob, Coverage &coverage) {
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        switch (loc_kind(type)) {
        case BTF_KIND_FUNC:
            coverage.added_funcs++;
            break;
        case BTF_KIND_VAR:
            coverage.added_vars++;
            coverage.bytes_vars += sizeof(btf_type) + sizeof(btf_var);
            // The base has some of the names, and is not always there.
            if (type->name_off >= blob.first_string)
                coverage.bytes_vars += std::strlen(btf_blob_string(&blob, type->name_off)) + 1;
            break;
        case LOC_KIND_PARAM:
            coverage.loc_params++;
            break;
        case LOC_KIND_PROTO:
            coverage.loc_protos++;
            break;
        case LOC_KIND_SEC:
            break;
        default:
            coverage.added_types++;
        }
    }
}

// Without expressions each list of locations has one LOC_PROTO.
uint64_t bytes_of_repeated_protos(const btf_blob &blob) {
    std::unordered_set<std::string_view> lists;
    uint64_t bytes = 0;
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        if (loc_kind(type) != LOC_KIND_PROTO)
            continue;
        const size_t size = loc_vlen(type) * sizeof(uint32_t);
        if (!lists.emplace(reinterpret_cast<const char *>(loc_proto_ids(type)), size).second)
            bytes += sizeof(btf_type) + size;
    }
    return bytes;
}

// Returns the number of distinct codes.
uint64_t count_expressions(const ObjectView &view) {
    std::unordered_set<uint32_t> codes;
    for (const loc_expression_entry &entry : view.expressions())
        codes.insert(loc_expression_entry_code(&entry));
    return codes.size();
}

// Returns true if a site has all parameters only with expressions.
bool completed(const ObjectView::Located &counts) {
    return counts.computed != 0 && counts.located + counts.computed == counts.params;
}

// Counts the parameters without a location, by reason.
void count_not_located(const ObjectView &view, Coverage &coverage) {
    for (uint8_t reason : view.file().provenance->reasons)
        coverage.not_available[reason]++;
}

// Takes out of them what has an expression instead.
void count_computed(const ObjectView &view, uint32_t site_number, Coverage &coverage) {
    for (const Parameter &param : view.parameters(site_number))
        if (param.expression && param.reason)
            coverage.not_available[static_cast<uint8_t>(*param.reason)]--;
}

void count_sites(const ObjectView &view, const loc_section &section, Coverage &coverage) {
    bool is_inline = section.loc_class == LOC_CLASS_INLINE;
    for (uint32_t i = 0; i < section.nr_sites; i++) {
        if (!is_inline && view.is_true_signature(section.sites[i].func)) {
            coverage.true_signatures++;
            continue;
        }
        (is_inline ? coverage.inline_sites : coverage.body_sites)++;
        const loc_site &site = section.sites[i];
        const auto counts = view.count_located(site.loc_proto, view.is_variadic(site.func));
        coverage.params += counts.params;
        coverage.params_located += counts.located;
        coverage.params_computed += counts.computed;
        if (counts.computed != 0)
            count_computed(view, section.first_site + i, coverage);
        if (!is_inline)
            continue;
        if (counts.located == counts.params)
            coverage.inline_sites_all_params++;
        else if (counts.located != 0)
            coverage.inline_sites_some_params++;
        else
            coverage.inline_sites_no_params++;
        coverage.inline_sites_all_with_expressions += completed(counts);
    }
}

std::optional<LeftOut> reason_of(const ObjectView &view, uint32_t number) {
    const uint32_t marks = view.site_marks(number);
    if ((marks & SITE_MARK_CLOSED) != 0)
        return LeftOut::kClosed;
    if ((marks & SITE_MARK_NO_ENTRY) != 0)
        return LeftOut::kNoEntry;
    if ((marks & SITE_MARK_LOOP_HEAD) != 0)
        return LeftOut::kLoopHead;
    if (view.is_left_out(number))
        return LeftOut::kInstruction;
    return std::nullopt;
}

// The sites of one function.
struct Tally {
    uint64_t sites = 0;
    bool inlined = false;
    LeftOutCounts left_out = {};
};

void add(AttachedWhole &whole, const Tally &tally) {
    whole.functions++;
    bool refused = false;
    for (size_t reason = 0; reason < kLeftOutReasons; reason++) {
        const bool has = LeftOut(reason) == LeftOut::kClosed ? tally.left_out[reason] == tally.sites
                                                             : tally.left_out[reason] != 0;
        whole.refused[reason] += has;
        refused |= has;
    }
    whole.whole += !refused;
}

void count_reached(const ObjectView &view, Coverage &coverage) {
    if (!view.file().site_marks || !view.knows_left_out())
        return;
    std::unordered_map<uint32_t, Tally> tallies;  // by function
    coverage.inline_sites_reached = coverage.inline_sites_reached_all_params = 0;
    for (const loc_section &section : std::span(view.index().sections, view.index().nr_sections)) {
        if (section_place_freed(view.index().elf_sections[section.elf].name,
                                view.file().vmlinux_btf.has_value()))
            continue;
        const bool is_inline = section.loc_class == LOC_CLASS_INLINE;
        for (uint32_t i = 0; i < section.nr_sites; i++) {
            const uint32_t number = section.first_site + i;
            if ((view.site_marks(number) & SITE_MARK_PART) != 0)
                continue;
            const loc_site &site = section.sites[i];
            const std::optional<LeftOut> left_out = reason_of(view, number);
            Tally &tally = tallies[site.func];
            tally.sites++;
            tally.inlined |= is_inline;
            if (left_out)
                tally.left_out[static_cast<size_t>(*left_out)]++;
            if (!is_inline)
                continue;
            coverage.inline_sites_kept++;
            if (left_out) {
                coverage.inline_sites_left_out[static_cast<size_t>(*left_out)]++;
                continue;
            }
            ++*coverage.inline_sites_reached;
            const auto counts = view.count_located(site.loc_proto, view.is_variadic(site.func));
            *coverage.inline_sites_reached_all_params += counts.located == counts.params;
            coverage.inline_sites_reached_all_with_expressions += completed(counts);
        }
    }
    coverage.whole_inlined.emplace();
    coverage.whole_many_sites.emplace();
    for (const auto &[func, tally] : tallies) {
        if (tally.inlined)
            add(*coverage.whole_inlined, tally);
        if (tally.sites > kManySites)
            add(*coverage.whole_many_sites, tally);
    }
}

}  // namespace

double Coverage::bytes_per_site() const {
    const auto bytes =
        static_cast<double>(bytes_types - bytes_vars + bytes_func_info + bytes_expressions);
    return sites == 0 ? 0 : bytes / static_cast<double>(sites);
}

double Coverage::expression_bytes_per_site() const {
    const auto bytes = static_cast<double>(bytes_expressions + bytes_repeated_protos);
    return sites == 0 ? 0 : bytes / static_cast<double>(sites);
}

Coverage measure_coverage(const ObjectView &view) {
    Coverage coverage;
    coverage.functions = view.index().nr_funcs;
    coverage.sites = view.index().nr_sites;
    if (view.file().provenance)
        count_not_located(view, coverage);
    for (uint32_t i = 0; i < view.index().nr_sections; i++)
        count_sites(view, view.index().sections[i], coverage);
    if (!view.file().provenance)
        coverage.not_available[0] =
            coverage.params - coverage.params_located - coverage.params_computed;

    count_reached(view, coverage);
    if (view.file().site_marks) {
        coverage.loop_heads = coverage.without_entry = coverage.parts = 0;
        for (uint32_t number = 0; number < view.index().nr_sites; number++) {
            const uint32_t marks = view.site_marks(number);
            *coverage.loop_heads += (marks & SITE_MARK_LOOP_HEAD) != 0;
            *coverage.without_entry += (marks & SITE_MARK_NO_ENTRY) != 0;
            *coverage.parts += (marks & SITE_MARK_PART) != 0;
        }
    }
    if (const auto &provenance = view.file().provenance) {
        coverage.inline_instances = provenance->inline_instances;
        coverage.rust_units = provenance->skipped_rust_units;
        coverage.contradicted = provenance->contradicted;
    }

    count_records(view.types().blob(), coverage);
    coverage.bytes_types = view.types().blob().size;
    count_records(view.locations().blob(), coverage);
    if (const auto &variables = view.file().variables) {
        auto &left_out = coverage.vars_left_out.emplace();
        for (const VariableList::LeftOut &each : variables->left_out)
            left_out[static_cast<uint8_t>(each.reason)]++;
    }
    if (const inline_frames &frames = view.frames(); frames.sections != nullptr) {
        coverage.frames_instances = frames.counts.nr_instances;
        coverage.frames_bodies = frames.counts.nr_bodies;
        coverage.bytes_frames = view.file().frames.size();
    }
    if (const LineTable *lines = view.lines(); lines != nullptr) {
        coverage.line_rows = lines->rows();
        coverage.bytes_lines = view.file().lines.size();
    }
    coverage.bytes_func_info = view.locations().blob().size;
    coverage.expressions = count_expressions(view);
    coverage.bytes_expressions = view.file().expressions.size();
    coverage.bytes_repeated_protos = bytes_of_repeated_protos(view.locations().blob());
    return coverage;
}

}  // namespace btf_extra
