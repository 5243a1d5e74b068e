// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The kernel puts no kprobe on the jump or NOP of a static key. Says where a probe at the next
// instruction sees the same calls with the same values, whether the key is on or off.
#ifndef BTF_EXTRA_AFTER_KEY_H
#define BTF_EXTRA_AFTER_KEY_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/flow/body_flow.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/defined_symbols.h"
#include "userspace/generator/sites/entered_places.h"
#include "userspace/generator/sites/instructions.h"
#include "userspace/generator/sites/probed_code.h"

namespace btf_extra::generator {

// The static keys of a file, and what else its tables say of the flow of control. It does not
// change, so that threads can share it. What it is made of must outlive it. A module has no keys
// here, because its jumps are in relocations, which are not followed.
class StaticKeys {
  public:
    struct Key {
        uint64_t next = 0;    // the address of the next instruction
        uint64_t target = 0;  // where the code for a key that is on begins
    };

    StaticKeys(const DebugFile &file, const DefinedSymbols &symbols, const ProbedCode &probed);

    bool any() const { return !keys_.empty(); }
    // Returns the key whose instruction is at an address, or nullptr.
    const Key *at(uint64_t address) const;
    // Returns where the instruction at an address goes on if it faults.
    std::optional<uint64_t> fixup(uint64_t address) const;
    // Says whether the kernel replaces the instruction there when it boots.
    bool has_alternative(uint64_t address) const;
    // Says whether anything but the code in these ranges, which are those of a body, may lead to an
    // address in it.
    bool entered(uint64_t address, std::span<const CodeRange> ranges,
                 Instructions &instructions) const;
    // Says whether the instruction there takes a kprobe.
    bool takes_probe(uint64_t address) const;

  private:
    bool jumped_to_from_near(uint64_t address, std::span<const CodeRange> ranges,
                             Instructions &instructions) const;

    const DebugFile &file_;
    const DefinedSymbols &symbols_;
    const ProbedCode &probed_;
    std::unordered_map<uint64_t, Key> keys_;                // by address
    std::unordered_map<uint64_t, uint64_t> fixups_;         // by address
    std::unordered_multimap<uint64_t, uint64_t> by_table_;  // from where a table leads, by address
    std::vector<CodeRange> alternatives_;                   // in order
    std::optional<EnteredPlaces> entered_;
};

// Each thread has its own.
class AfterKey {
  public:
    AfterKey(const DebugFile &file, const StaticKeys &keys);

    // The code of a body, as far as it can be followed.
    struct Body {
        std::vector<CodeRange> ranges;
        std::optional<BodyFlow> flow;
    };
    Body read(std::span<const CodeRange> ranges, uint64_t entry);

    // Returns what may have changed at the instruction after a static key, if a probe there is hit
    // once each time that the key's instruction runs.
    std::optional<FlowChanges> changes(uint64_t address, const Body &body);

  private:
    class Code;

    const DebugFile &file_;
    const StaticKeys &keys_;
    std::unique_ptr<Instructions> instructions_;
};

// Says whether a parameter is at the same place, with the same value, after such changes.
bool keeps(const LocParam &param, const FlowChanges &changes);

}  // namespace btf_extra::generator

#endif
