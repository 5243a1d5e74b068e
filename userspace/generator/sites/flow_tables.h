// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the tables of a file that change the flow of control in its code: static keys,
// alternatives, and the places where the kernel goes on after a fault.
#ifndef BTF_EXTRA_FLOW_TABLES_H
#define BTF_EXTRA_FLOW_TABLES_H

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/flow/body_flow.h"
#include "userspace/generator/sites/defined_symbols.h"
#include "userspace/generator/sites/entered_places.h"
#include "userspace/generator/sites/instructions.h"
#include "userspace/generator/sites/probed_code.h"

namespace btf_extra::generator {

// It does not change, so that threads can share it. The file that it is made of must outlive it.
class FlowTables {
  public:
    struct Key {
        uint64_t next = 0;    // the address of the next instruction
        uint64_t target = 0;  // where the code for a key that is on begins
    };

    FlowTables(const DebugFile &file, const DefinedSymbols &symbols, const ProbedCode &probed);

    // Returns the static key whose instruction is at an address, or nullptr.
    const Key *key_at(uint64_t address) const;
    // Returns true if these tables and all code of the file tell what leads to the code of
    // functions with static keys. They do not in a module, where other relocations may name a place
    // in code.
    bool knows_entered() const { return entered_.has_value(); }
    // Returns true if the kernel replaces the instruction there when it boots.
    bool has_alternative(uint64_t address) const;
    // Returns true if a static key or a fixup leads there.
    bool leads_to(uint64_t address) const { return by_table_.contains(address); }
    // Adds to the edges of an instruction in a body with these ranges what the tables say.
    void add_edges(uint64_t address, std::span<const CodeRange> ranges, Instructions &instructions,
                   FlowEdges &edges) const;
    // Returns true if anything but the code in these ranges, which are those of a body, may lead to
    // an address in it.
    bool entered(uint64_t address, std::span<const CodeRange> ranges,
                 Instructions &instructions) const;
    // Returns true if the instruction there takes a kprobe.
    bool takes_probe(uint64_t address) const;

  private:
    struct Replaced {
        CodeRange code, replacement;
        auto operator<=>(const Replaced &) const = default;
    };

    bool jumped_to_from_near(uint64_t address, std::span<const CodeRange> ranges,
                             Instructions &instructions) const;
    void add_jumps_of(CodeRange code, std::span<const CodeRange> ranges, Instructions &instructions,
                      FlowEdges &edges) const;

    const DebugFile &file_;
    const DefinedSymbols &symbols_;
    const ProbedCode &probed_;
    std::unordered_map<uint64_t, Key> keys_;                // by address
    std::unordered_map<uint64_t, uint64_t> fixups_;         // by address
    std::unordered_multimap<uint64_t, uint64_t> by_table_;  // from where a table leads, by address
    std::vector<Replaced> alternatives_;                    // in order
    std::vector<CodeRange> replaced_;                       // their code, joined
    std::optional<EnteredPlaces> entered_;
};

}  // namespace btf_extra::generator

#endif
