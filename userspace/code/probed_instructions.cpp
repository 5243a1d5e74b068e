// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/code/probed_instructions.h"

#include <algorithm>

#include <elf.h>

#include "userspace/code/kprobe_refusal.h"
#include "userspace/format/core_api.h"
#include "userspace/format/kernel_release.h"

namespace btf_extra {
namespace {

std::unordered_set<Place> set_of(const std::vector<Place> &places) {
    return {places.begin(), places.end()};
}

}  // namespace

ProbedInstructions::ProbedInstructions(const ElfImage &elf, const CodeTables &tables)
    : static_keys_(set_of(tables.static_keys)), static_calls_(set_of(tables.static_calls)),
      faulting_(set_of(tables.faulting)), machine_(elf.machine()),
      release_(elf.relocatable() ? module_release(elf) : kernel_release(elf)) {
    for (const ElfSection &section : elf.sections()) {
        if (!section.executable() || section.type == SHT_NOBITS)
            continue;
        if (const auto bytes = elf.bytes(section))
            code_[section.index] = {reinterpret_cast<const uint8_t *>(bytes->data()),
                                    bytes->size()};
    }
}

const char *ProbedInstructions::refusal(const Place &place, uint64_t distance) const {
    if (static_keys_.contains(place))
        return "a static key patches the instruction";
    if (static_calls_.contains(place))
        return "a static call patches the instruction";
    const auto found = code_.find(place.section);
    const uint64_t before = std::min(distance, kProbeContext);
    if (found == code_.end() || place.offset < before || place.offset >= found->second.size())
        return nullptr;
    const std::span<const uint8_t> code = found->second.subspan(place.offset);
    if (loc_arch_call(loc_arch_of(machine_), code.data(), static_cast<uint32_t>(code.size())) ==
        LOC_CALL_PREFIXED)
        return kPrefixedCall;
    return kprobe_refusal(machine_, {found->second.subspan(place.offset - before, before), code,
                                     faulting_.contains(place), release_});
}

}  // namespace btf_extra
