// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parts of the reader share what they know of a unit while they read it.
#ifndef BTF_EXTRA_UNIT_STATE_H
#define BTF_EXTRA_UNIT_STATE_H

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "userspace/generator/dwarf/dwarf_unit.h"
#include "userspace/generator/locations/param_slots.h"
#include "userspace/generator/locations/site_context.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/call_entries.h"
#include "userspace/generator/sites/copied_entries.h"
#include "userspace/generator/sites/source_functions.h"
#include "userspace/generator/sites/unit_tools.h"

namespace btf_extra::generator {

// An inlined instance that has been read.
struct Instance {
    uint64_t die = 0;
    const SourceFunctions::Function *function = nullptr;
    Enclosing enclosing;
    std::optional<uint32_t> remainder;          // in UnitState::calls
    std::optional<size_t> site = std::nullopt;  // in UnitSites::sites
};

// Its parts refer to each other, so it stays where it is.
struct UnitState {
    UnitState(UnitTools &unit_tools, const Unit &read)
        : tools(unit_tools), input(tools.input), sections(input.file.dwarf()), unit(read),
          functions(input, unit, tools.types, sites, &memory), param_slots(sites, &memory),
          calls(copied_entries, tools.flows) {
        sites.has_last_values = unit.compiler == Compiler::kClang;
        sites.knows_traced = input.probed.known();
    }
    UnitState(const UnitState &) = delete;
    UnitState &operator=(const UnitState &) = delete;

    // Returns the address of a site.
    uint64_t address_of(const Site &site) const {
        return input.file.sections()[site.section].address + site.offset;
    }

    UnitTools &tools;
    const ReaderInput &input;
    const DebugSections &sections;
    const Unit &unit;
    UnitSites sites;
    // A kernel has a million small nodes of tables: the memory of a unit's is taken and let go as a
    // whole, and no thread waits for another.
    std::pmr::monotonic_buffer_resource memory{1 << 16};
    SourceFunctions functions;
    ParamSlots param_slots;
    CopiedEntries copied_entries;
    std::vector<Instance> instances;  // by their numbers in copied_entries
    CallEntries calls;
    std::vector<std::optional<size_t>> remainder_sites;  // in UnitSites::sites, by number in calls
};

}  // namespace btf_extra::generator

#endif
