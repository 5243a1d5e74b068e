// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The kernel puts no kprobe on the jump or NOP of a static key. Says where a probe at the next
// instruction sees the same calls with the same values, whether the key is on or off.
#ifndef BTF_EXTRA_AFTER_KEY_H
#define BTF_EXTRA_AFTER_KEY_H

#include <cstdint>
#include <optional>

#include "userspace/generator/locations/code_reads.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/flow_reader.h"
#include "userspace/generator/sites/flow_tables.h"

namespace btf_extra::generator {

// Returns what may have changed at the instruction after a static key, if a probe there is hit once
// each time that the key's instruction runs.
std::optional<FlowChanges> changes_after_key(uint64_t address, const BodyCode &body,
                                             const FlowTables &tables, FlowReader &reader);

// Returns true if a parameter is at the same place, with the same value, after such changes.
bool keeps(const LocParam &param, const FlowChanges &changes);
bool keeps(const CodeReads &reads, const FlowChanges &changes);

}  // namespace btf_extra::generator

#endif
