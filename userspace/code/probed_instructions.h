// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the instructions of vmlinux or of a module on which the kernel takes no kprobe: those that
// it patches itself, and those that it cannot step or emulate.
#ifndef BTF_EXTRA_PROBED_INSTRUCTIONS_H
#define BTF_EXTRA_PROBED_INSTRUCTIONS_H

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "userspace/code/code_tables.h"
#include "userspace/format/elf_image.h"

namespace btf_extra {

// It does not change, so that threads can share it. The file must outlive it.
class ProbedInstructions {
  public:
    ProbedInstructions(const ElfImage &elf, const CodeTables &tables);

    // Returns why no kprobe is possible at a place this far after its symbol; NULL: no reason is
    // known.
    const char *refusal(const Place &place, uint64_t distance) const;

  private:
    std::unordered_map<uint32_t, std::span<const uint8_t>> code_;  // by section
    std::unordered_set<Place> static_keys_, static_calls_, faulting_;
    uint16_t machine_;
    std::string release_;
};

// A call that kprobes return from to a wrong address: see enum loc_call.
inline constexpr char kPrefixedCall[] = "kprobes return from the call to a wrong address";

}  // namespace btf_extra

#endif
