// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/coverage.h"

#include <algorithm>
#include <span>

namespace btf_extra {
namespace {

void count_records(const btf_blob &blob, Coverage &coverage) {
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        switch (loc_kind(btf_blob_type(&blob, id))) {
        case BTF_KIND_FUNC:
            coverage.added_funcs++;
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
        if (!is_inline)
            continue;
        if (counts.located == counts.params)
            coverage.inline_sites_all_params++;
        else if (counts.located != 0)
            coverage.inline_sites_some_params++;
        else
            coverage.inline_sites_no_params++;
    }
}

// A default attach takes a site that begins a call and is hit once a call, at an instruction and in
// a function that it may be in.
void count_reached(const ObjectView &view, Coverage &coverage) {
    if (!view.file().site_marks || !view.knows_left_out())
        return;
    constexpr uint32_t kLeftOut = SITE_MARK_LOOP_HEAD | SITE_MARK_NO_ENTRY;
    coverage.inline_sites_reached = coverage.inline_sites_reached_all_params = 0;
    for (const loc_section &section : std::span(view.index().sections, view.index().nr_sections)) {
        if (section.loc_class != LOC_CLASS_INLINE ||
            section_place_freed(view.index().elf_sections[section.elf].name,
                                view.file().vmlinux_btf.has_value()))
            continue;
        for (uint32_t i = 0; i < section.nr_sites; i++) {
            const uint32_t number = section.first_site + i, marks = view.site_marks(number);
            if ((marks & SITE_MARK_PART) != 0)
                continue;
            coverage.inline_sites_kept++;
            if ((marks & kLeftOut) != 0 || view.is_left_out(number))
                continue;
            ++*coverage.inline_sites_reached;
            const loc_site &site = section.sites[i];
            const auto counts = view.count_located(site.loc_proto, view.is_variadic(site.func));
            *coverage.inline_sites_reached_all_params += counts.located == counts.params;
        }
    }
}

}  // namespace

double Coverage::bytes_per_site() const {
    return sites == 0
               ? 0
               : static_cast<double>(bytes_types + bytes_func_info) / static_cast<double>(sites);
}

Coverage measure_coverage(const ObjectView &view) {
    Coverage coverage;
    coverage.functions = view.index().nr_funcs;
    coverage.sites = view.index().nr_sites;
    for (uint32_t i = 0; i < view.index().nr_sections; i++)
        count_sites(view, view.index().sections[i], coverage);

    count_reached(view, coverage);
    if (const auto &marks = view.file().site_marks) {
        const auto count = [&](uint32_t wanted) {
            return std::ranges::count_if(*marks,
                                         [=](uint32_t mark) { return (mark & wanted) != 0; });
        };
        coverage.loop_heads = count(SITE_MARK_LOOP_HEAD);
        coverage.without_entry = count(SITE_MARK_NO_ENTRY);
        coverage.parts = count(SITE_MARK_PART);
    }
    if (const auto &provenance = view.file().provenance) {
        coverage.inline_instances = provenance->inline_instances;
        coverage.rust_units = provenance->skipped_rust_units;
        coverage.contradicted = provenance->contradicted;
        for (uint8_t reason : provenance->reasons)
            coverage.not_available[reason]++;
    } else {
        coverage.not_available[0] = coverage.params - coverage.params_located;
    }

    count_records(view.types().blob(), coverage);
    coverage.bytes_types = view.types().blob().size;
    count_records(view.locations().blob(), coverage);
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
    return coverage;
}

}  // namespace btf_extra
