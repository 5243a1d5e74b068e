// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Counts how much a .btf_extra file covers. `stat` prints these numbers.
#ifndef BTF_EXTRA_COVERAGE_H
#define BTF_EXTRA_COVERAGE_H

#include <array>
#include <cstdint>
#include <optional>

#include "userspace/lib/tables/object_view.h"

namespace btf_extra {

// Why a default attach leaves a site out. A site has the first of these that holds.
enum class LeftOut : uint8_t {
    kClosed,       // the code around it is closed to tracers on purpose
    kNoEntry,      // it is not known where the call begins
    kLoopHead,     // a hit there need not be a call
    kInstruction,  // the kernel puts no kprobe on the instruction
};
inline constexpr size_t kLeftOutReasons = 4;
using LeftOutCounts = std::array<uint64_t, kLeftOutReasons>;

// The number of functions that an all-or-none attach takes. Sites in closed code are not required.
// Sites in freed text, and those that continue a call, do not count.
struct AttachedWhole {
    uint64_t functions = 0;
    uint64_t whole = 0;
    // The others, by what they have; kClosed: no other site. One may have several.
    LeftOutCounts refused = {};
};

struct Coverage {
    uint64_t functions = 0;                    // distinct functions with sites
    std::optional<uint64_t> inline_instances;  // as DWARF has them; none: no provenance
    std::optional<uint64_t> rust_units;        // that were skipped; none: likewise
    std::optional<uint64_t> contradicted;      // sites that were left out; likewise
    uint64_t sites = 0;
    uint64_t inline_sites = 0;
    uint64_t body_sites = 0;
    uint64_t true_signatures = 0;  // of bodies among these; sites, but no other bodies
    // Inline sites by their parameters that have a location; one without parameters counts as all.
    uint64_t inline_sites_all_params = 0;
    uint64_t inline_sites_some_params = 0;
    uint64_t inline_sites_no_params = 0;
    // They have an expression for each parameter without a location, and at least one expression.
    uint64_t inline_sites_all_with_expressions = 0;
    // None: the file does not know.
    std::optional<uint64_t> loop_heads;     // inline sites
    std::optional<uint64_t> without_entry;  // likewise
    std::optional<uint64_t> parts;          // sites of both classes
    // Inline sites that begin calls, in text that is not freed after boot; those of them that a
    // default attach takes, and with how many all parameters are located. None: the file does not
    // know what ftrace knows.
    uint64_t inline_sites_kept = 0;
    std::optional<uint64_t> inline_sites_reached;
    std::optional<uint64_t> inline_sites_reached_all_params;
    uint64_t inline_sites_reached_all_with_expressions = 0;  // the others that have expressions
    LeftOutCounts inline_sites_left_out = {};                // the others
    std::optional<AttachedWhole> whole_inlined;     // of the functions with such an inline site
    std::optional<AttachedWhole> whole_many_sites;  // of those with more than kManySites sites
    // Over inline_sites and body_sites. params = params_located + params_computed + all of
    // not_available.
    uint64_t params = 0;
    uint64_t params_located = 0;
    uint64_t params_computed = 0;                                     // have an expression
    std::array<uint64_t, kMissingReasonLast + 1> not_available = {};  // [0]: reason not known
    uint64_t loc_params = 0;
    uint64_t loc_protos = 0;
    uint64_t added_funcs = 0;  // FUNCs above the base
    uint64_t added_vars = 0;   // VARs above the base
    uint64_t added_types = 0;  // all other records above the base but the location kinds
    // The variables that the types do not contain, by reason. None: the file does not list them.
    std::optional<std::array<uint64_t, kVariableReasonLast + 1>> vars_left_out;
    // None: the file has no frames.
    std::optional<uint64_t> frames_instances;  // inlined ones
    std::optional<uint64_t> frames_bodies;
    std::optional<uint64_t> bytes_frames;
    // None: the file has no lines.
    std::optional<uint64_t> line_rows;
    std::optional<uint64_t> bytes_lines;
    uint64_t bytes_types = 0;
    uint64_t bytes_vars = 0;  // of bytes_types: the VARs and their names
    uint64_t bytes_func_info = 0;
    uint64_t expressions = 0;        // distinct ones
    uint64_t bytes_expressions = 0;  // of their section
    // The LOC_PROTOs that only expressions distinguish from others; bytes_func_info has them, too.
    uint64_t bytes_repeated_protos = 0;

    // Without the variables, which are no part of a site.
    double bytes_per_site() const;
    // Counts the bytes of expressions: their section, and the LOC_PROTOs that exist for them.
    double expression_bytes_per_site() const;
};

inline constexpr uint64_t kManySites = 20;

Coverage measure_coverage(const ObjectView &view);

}  // namespace btf_extra

#endif
