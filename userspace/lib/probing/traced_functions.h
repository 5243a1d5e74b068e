// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Sets of functions, such as those that ftrace knows.
#ifndef BTF_EXTRA_TRACED_FUNCTIONS_H
#define BTF_EXTRA_TRACED_FUNCTIONS_H

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "userspace/format/place.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

// The kernel lists some functions by place, and others only by name: then all functions of a name
// are in the set.
struct FunctionSet {
    std::unordered_set<Place> places;  // where they begin; empty: that is not known
    std::unordered_set<std::string> names;

    void add(const Symbols &symbols, const Place &function);
    // function: where the symbol begins.
    bool has(const Place &function, const std::string &symbol) const;
};

// Returns the functions around these places. If a function begins "before" bytes after a place, it
// is that one.
FunctionSet functions_at(const Symbols &symbols, const std::vector<Place> &places, uint64_t before);

// Returns the functions of the running kernel that ftrace lists; empty: they cannot be read.
// folders: where tracefs may be mounted.
FunctionSet traced_functions(const Symbols &symbols,
                             const std::vector<std::string> &folders = {
                                 "/sys/kernel/tracing", "/sys/kernel/debug/tracing"});

}  // namespace btf_extra

#endif
