// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The control flow inside one body: its instructions, and the edges between them. It does not
// guess: if code cannot be followed, the answer is negative.
#ifndef BTF_EXTRA_BODY_FLOW_H
#define BTF_EXTRA_BODY_FLOW_H

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "userspace/generator/model/code_range.h"

namespace btf_extra::generator {

// The ways that code may take after an instruction. There may be more ways here than it takes, but
// never fewer, unless it goes anywhere.
struct FlowEdges {
    uint64_t size = 0;              // bytes
    uint32_t operation = 0;         // the same number: it does the same, perhaps to other operands
    bool falls = true;              // the next instruction may follow it
    bool anywhere = false;          // it jumps to an address that is not in it
    bool calls = false;             // other code runs before the next instruction
    bool idle = false;              // a NOP or a trap, which compilers fill gaps with
    std::optional<uint64_t> jump;   // the target of a direct jump
    std::optional<uint64_t> fixup;  // where it goes on if it faults
    std::vector<uint64_t> others;   // where else: what replaces it jumps there
};

// The registers and the memory that instructions may change.
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
    // Returns true if something that is not in the body may lead there.
    virtual bool entered(uint64_t address) = 0;
};

// How the calls that begin at one place go with those that begin at others.
enum class CallOrder : uint8_t {
    kOwn,      // none of the others has begun such a call
    kAfter,    // one of the others has begun each of them
    kEither,   // that depends on the way that leads there
    kUnknown,  // not all ways are known
};

class BodyFlow {
  public:
    // Reads the code of a body, which calls enter at `entry`. ranges need no order; each begins
    // with an instruction. Returns nothing if not all of it is instructions. It takes linear time,
    // apart from sorting.
    static std::optional<BodyFlow> read(std::vector<CodeRange> ranges, uint64_t entry,
                                        FlowCode &code);

    // Returns true if it is known where all jumps lead. If one of them jumps anywhere, that is out
    // of the body, unless there is code that nothing else leads to.
    bool knows_jumps() const { return !jumps_anywhere_ || roots_.empty(); }

    // Says how a call that begins at an address goes with those that begin at the others. All of
    // them are code of one inlined instance, and a call runs through this code once. Two places of
    // which none runs before the other, unless the code where their ways part runs again, are two
    // calls. It takes linear time for each of the others. The instructions in `leading` are code of
    // calls that have begun, and lead from them to the address.
    CallOrder order(uint64_t address, std::span<const uint64_t> others,
                    std::span<const uint64_t> leading = {}) const;

    // Returns the first instruction after an address, or there, that leads to two places, if no
    // other code leads to it or between them.
    std::optional<uint64_t> branch_after(uint64_t address) const;

    // Returns true if code in these ranges, which hold the address, comes back there without
    // leaving them.
    bool repeats(uint64_t address, std::span<const CodeRange> ranges) const;

    // Returns true if an instruction in these ranges may run before or without those at the
    // addresses.
    bool runs_without(std::span<const CodeRange> ranges, std::span<const uint64_t> addresses) const;

    // Returns the instructions in these ranges to which other code leads. NOPs are none if they
    // only align a place to which other code leads, too, or if no code of the ranges follows them.
    std::vector<uint64_t> entered(std::span<const CodeRange> ranges) const;

    // Returns the first of `places` to which the code after an address leads, if that is in these
    // ranges, and has neither branches nor calls.
    std::optional<uint64_t> leads_to(uint64_t address, std::span<const uint64_t> places,
                                     std::span<const CodeRange> ranges) const;

    // Returns true if the instruction at an address does nothing but jump to another one of the
    // body.
    bool only_jumps(uint64_t address) const;

    // Returns true if an instruction of one range does the same as one of the other.
    bool does_the_same(const CodeRange &a, const CodeRange &b) const;

    // Returns the instructions that lead to an address.
    std::vector<uint64_t> before(uint64_t address) const;

    // Follows the jump of the instruction at `from`, which falls to `to`. Returns what the code on
    // all ways from its target to `to` may change, if every way comes there, none comes to `from`,
    // and nothing but `from` leads into that code or to `to`. It returns nothing if an instruction
    // of the body jumps anywhere. A loop on the way is taken to end if
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
    using Marks = std::vector<bool>;  // by number of the step

    std::optional<size_t> find(uint64_t address) const;
    std::span<const Jump> jumps_to(uint64_t address) const;
    std::optional<size_t> falls_to(size_t step) const;
    template <class Visit> void for_each_next(size_t step, Visit visit) const;
    void find_roots();
    // Marks what may run after the steps that are open, with them. Stops and what is out of the
    // ranges are marked and not passed. No ranges: all code.
    void run(std::vector<size_t> open, const Marks &stops, std::span<const CodeRange> ranges,
             Marks &reached) const;
    Marks run_from_entry(std::span<const uint64_t> stops) const;
    // Returns for each step the last one that is on all ways to it; itself: there is none.
    const std::vector<size_t> &dominators() const;
    bool runs_after(size_t first, size_t second) const;
    bool all_come_to(size_t to, const std::vector<size_t> &way) const;

    std::vector<Step> steps_;  // in order of address
    std::vector<Jump> jumps_;  // in order
    uint64_t entry_ = 0;
    bool jumps_anywhere_ = false;
    std::vector<size_t> roots_;  // code that nothing leads to
    Marks runs_;                 // what the entry and the roots lead to: padding is not in it
    mutable std::vector<size_t> dominators_;
};

}  // namespace btf_extra::generator

#endif
