// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Merges what was read of the units: functions that are the same become one, exact repeats of a
// site are dropped, and everything gets an order that depends on nothing but the input.
#ifndef BTF_EXTRA_SITE_MERGE_H
#define BTF_EXTRA_SITE_MERGE_H

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// A source function that has sites or frames.
struct MergedFunction {
    const SourceFunction *source = nullptr;  // of the first unit that has it
    std::span<const TypeId> param_types{};
    std::span<const std::string_view> param_names{};
    uint32_t base_id = 0;                       // the FUNC of the base; 0: one must be added
    bool tag_file = false;                      // others have its name
    std::vector<std::string_view> tag_units{};  // all its units, if others have its name and file
    bool declared_inline = false;               // in one unit at least
    bool has_sites = false;                     // else it has frames alone
};

// A LOCSEC entry.
struct MergedSite {
    uint32_t function = 0;  // number of a MergedFunction
    uint32_t offset = 0;
    uint32_t params = 0;  // number of a list of ParamSlots
    // SITE_MARK_*. If it stands for several sites that were read, one of them has LOOP_HEAD, and
    // all have each other mark.
    uint32_t marks = 0;
    bool no_probe = false, untraced = false;  // as in Site
};

struct MergedSection {
    uint32_t section = 0;  // number of an executable section
    SiteClass site_class = SiteClass::kInline;
    std::vector<MergedSite> sites;  // in order of (function, offset, params)
};

// All that was read of the units, except the sites.
struct MergedUnits {
    // They are in the order of their ids: those of the base, then those to be added, in order of
    // (name, file, unit).
    std::vector<MergedFunction> functions;
    std::vector<LocParam> loc_params;         // distinct, in ascending order
    std::vector<ExpressionCode> expressions;  // likewise
    // Distinct lists of ParamSlots: those without expressions first, then in lexicographic order of
    // what they locate, where all reasons are alike; lists that locate the same are in order of
    // their reasons.
    std::vector<std::vector<ParamSlot>> param_lists;
    // These map the numbers that a unit has for functions and lists, by unit, to those above.
    std::vector<std::vector<uint32_t>> function_numbers;
    std::vector<std::vector<uint32_t>> param_list_numbers;
    uint64_t inline_instances = 0;
    uint64_t overridden_bodies = 0;
    uint64_t outside_sections = 0;
    uint64_t contradicted = 0;
    uint32_t skipped_rust_units = 0;
    bool knows_traced = false;  // which functions ftrace knows
};

// Orders lists of ParamSlots by what they locate, where all reasons are alike. Lists with
// expressions come last.
std::strong_ordering compare_locations(std::span<const ParamSlot> a, std::span<const ParamSlot> b);

// units must outlive the result, which points into them. The result does not depend on the number
// of threads.
MergedUnits merge_units(const std::vector<UnitSites> &units, size_t threads);

// The sites of the same units, in order of section, then class.
std::vector<MergedSection> merge_sites(const std::vector<UnitSites> &units,
                                       const MergedUnits &merged);

}  // namespace btf_extra::generator

#endif
