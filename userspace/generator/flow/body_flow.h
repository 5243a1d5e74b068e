// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The control flow inside one body: its instructions, and the edges between them. It does not
// guess. What cannot be followed makes an answer negative.
#ifndef BTF_EXTRA_BODY_FLOW_H
#define BTF_EXTRA_BODY_FLOW_H

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "userspace/generator/model/code_range.h"

namespace btf_extra::generator {

// Where code goes on after an instruction.
struct FlowEdges {
    uint64_t size = 0;              // bytes
    bool falls = true;              // the next instruction may follow it
    bool anywhere = false;          // it jumps to an address that is not in it
    std::optional<uint64_t> jump;   // the target of a direct jump
    std::optional<uint64_t> fixup;  // where it goes on if it faults
};

// What instructions may change.
struct FlowChanges {
    uint32_t writes = 0;  // bit n: the register with DWARF's number n
    bool stores = false;  // memory
};

// The code of a file.
class FlowCode {
  public:
    virtual ~FlowCode() = default;
    // Returns nothing if there is no instruction at that address.
    virtual std::optional<FlowEdges> edges(uint64_t address) = 0;
    // Returns nothing if not all that the instruction does is known. A call is taken to come back.
    virtual std::optional<FlowChanges> changes(uint64_t address) = 0;
    // Says whether something that is not in the body may lead there.
    virtual bool entered(uint64_t address) = 0;
};

class BodyFlow {
  public:
    // Reads the code of a body, which calls enter at `entry`. ranges need no order; each begins
    // with an instruction. Returns nothing if not all of it is instructions, or if one of them
    // jumps anywhere. It takes linear time, apart from sorting.
    static std::optional<BodyFlow> read(std::vector<CodeRange> ranges, uint64_t entry,
                                        FlowCode &code);

    // Follows the jump of the instruction at `from`, which falls to `to`. Returns what the code on
    // all ways from its target to `to` may change, if every way comes there, none comes to `from`,
    // and nothing but `from` leads into that code or to `to`. A loop on the way is taken to end if
    // a way leads out of it. It takes linear time.
    std::optional<FlowChanges> detour(uint64_t from, uint64_t to, FlowCode &code) const;

  private:
    struct Step {
        uint64_t address = 0;
        FlowEdges edges;
        bool live = false;  // it may run: padding does not
    };
    struct Jump {
        uint64_t to = 0;
        size_t from = 0;  // a number in steps_
        auto operator<=>(const Jump &) const = default;
    };

    std::optional<size_t> find(uint64_t address) const;
    std::span<const Jump> jumps_to(uint64_t address) const;
    std::optional<size_t> before(size_t step) const;
    bool all_come_to(size_t to, const std::vector<size_t> &way) const;

    std::vector<Step> steps_;  // in order of address
    std::vector<Jump> jumps_;  // in order
    uint64_t entry_ = 0;
};

}  // namespace btf_extra::generator

#endif
