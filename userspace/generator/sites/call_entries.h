// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Decides by the flow of control which places of inlined instances begin a call. The marks of the
// compiler say where calls may begin; these rules say which of them another place has begun before.
#ifndef BTF_EXTRA_CALL_ENTRIES_H
#define BTF_EXTRA_CALL_ENTRIES_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "userspace/generator/sites/copied_entries.h"
#include "userspace/generator/sites/flow_reader.h"

namespace btf_extra::generator {

// The entries of one unit. Bodies and instances have the numbers that CopiedEntries gave them.
class CallEntries {
  public:
    // Both must outlive it.
    CallEntries(const CopiedEntries &instances, FlowReader &flows)
        : instances_(instances), flows_(flows) {}

    // The remainder of a split function, inlined in an instance of that function.
    struct Remainder {
        uint32_t body = 0;
        uint64_t address = 0;
        uint64_t beginning = 0;                      // the address where that instance begins
        std::optional<uint32_t> beginning_instance;  // its number
        std::optional<uint32_t> around;              // it is a remainder, too: its number here
    };
    uint32_t add(const Remainder &remainder);
    std::span<const Remainder> remainders() const { return remainders_; }

    // Says that copies of an instance begin there. Bodies are read after all of them are known.
    void add_copy(uint32_t instance, uint64_t address);

    // An instance, and the address where it begins.
    struct Beginning {
        uint32_t instance = 0;
        uint64_t entry = 0;
    };

    // Returns the mark of a site at an address in a remainder: SITE_MARK_PART if each call has
    // begun before, SITE_MARK_NO_ENTRY if it may have, 0 if it begins there. others are other
    // instances of the function in the same body that have no remainder of their own: GCC merges
    // remainders that are the same (-fcrossjumping), and one of the instances keeps the code.
    uint8_t mark_of(const Remainder &remainder, uint64_t address,
                    std::span<const Beginning> others = {});

    // Returns true if a remainder is in an instance.
    bool has_remainder(uint32_t instance) const;

    // As BodyFlow::order().
    CallOrder order(uint32_t body, uint64_t address, std::span<const uint64_t> others);

    // Returns true if an address in these ranges, which are those of an instance, is reached from
    // other code only.
    bool entered_from_outside(uint32_t body, uint64_t address, std::span<const CodeRange> ranges);

    // A place where calls of an instance begin.
    struct Entry {
        uint64_t address = 0;
        bool is_proven = false;  // no call begins elsewhere before it
    };
    // Finds the entries of an instance by its ranges. The result is empty if not all ways through
    // the body are known.
    std::vector<Entry> entries(uint32_t body, std::span<const CodeRange> ranges);

    // Returns true if code in these ranges may run before the entry of an instance and its copies,
    // or without them.
    bool runs_without_entries(uint32_t body, uint32_t instance, uint64_t entry,
                              std::span<const CodeRange> ranges);

    // Returns the code of a body.
    const BodyCode &code_of(uint32_t body);

  private:
    void append_beginnings(const Remainder &remainder, std::vector<uint64_t> &out) const;
    void append_tests(const BodyFlow &flow, const Beginning &beginning,
                      std::vector<uint64_t> &out) const;

    const CopiedEntries &instances_;
    FlowReader &flows_;
    std::vector<Remainder> remainders_;
    std::map<uint32_t, std::vector<uint64_t>> copies_;  // by instance
    std::map<uint32_t, BodyCode> bodies_;               // once they are asked for
};

}  // namespace btf_extra::generator

#endif
