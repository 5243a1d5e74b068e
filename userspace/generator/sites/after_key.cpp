// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/after_key.h"

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

std::optional<FlowChanges> changes_after_key(uint64_t address, const BodyCode &body,
                                             const FlowTables &tables, FlowReader &reader) {
    const FlowTables::Key *key = tables.key_at(address);
    if (!key || !body.flow || !tables.knows_entered() || tables.has_alternative(address) ||
        !tables.takes_probe(key->next))
        return std::nullopt;
    return body.flow->detour(address, key->next, *reader.code(body.ranges));
}

bool keeps(const LocParam &param, const FlowChanges &changes) {
    if ((param.flags & LOC_REG) == 0)
        return (param.flags & LOC_CONST) != 0;
    // Two values are two registers, unless the second one is an offset.
    const uint32_t nr_registers = (param.flags & (LOC_OFFSET | LOC_DEREF)) != 0 ? 1 : param.vlen;
    for (uint32_t i = 0; i < nr_registers; ++i)
        if (param.values[i] >= 16 || (changes.writes >> param.values[i] & 1) != 0)
            return false;
    return (param.flags & LOC_DEREF) == 0 || !changes.stores;
}

bool keeps(const CodeReads &reads, const FlowChanges &changes) {
    return (reads.registers & (changes.writes | ~0xffffu)) == 0 &&
           !(reads.memory && changes.stores);
}

}  // namespace btf_extra::generator
