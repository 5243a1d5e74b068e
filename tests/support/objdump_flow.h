// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The flow of control as objdump's instructions and the kernel's tables show it. This is a second
// witness, which shares no code with the generator.
#ifndef BTF_EXTRA_TESTS_OBJDUMP_FLOW_H
#define BTF_EXTRA_TESTS_OBJDUMP_FLOW_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace btf_extra::test {

using AddressRanges = std::vector<std::pair<uint64_t, uint64_t>>;

bool inside(const AddressRanges &ranges, uint64_t address);

// The graph of one body. An edge leads from instruction to instruction.
class ObjdumpBody {
  public:
    std::vector<uint64_t> addresses;  // in order
    std::map<uint64_t, std::vector<uint64_t>> next, before;
    std::set<std::pair<uint64_t, uint64_t>> jumps;  // direct ones, from and to
    std::vector<uint64_t> starts;  // the entry, and code that no edge of running code leads to
    bool is_known = true;          // all of it is instructions, and no jump may lead anywhere

    // Returns what may run after these instructions, with them. It stops after a stop, and at what
    // is out of the ranges unless they are empty.
    std::set<uint64_t> after(const std::vector<uint64_t> &from, const std::set<uint64_t> &stops,
                             const AddressRanges &ranges = {}) const;

    enum Order { kOwn, kAfter, kEither, kUnknown };
    // Returns true if one of the other addresses runs before an address in the same call: always,
    // never, or on some ways. Two places are of one call unless the last place that all ways to
    // both have in common lies between them.
    // Instructions in `leading` belong to calls that have begun when they lead to the address.
    Order order(uint64_t address, const std::vector<uint64_t> &others,
                const std::vector<uint64_t> &leading = {}) const;

    // Returns the last instruction of the block that begins at an address, if it leads to two
    // places.
    std::optional<uint64_t> test_of_block(uint64_t address) const;

    // Returns true if a direct jump in the ranges leads to an address.
    bool jumps_from(const AddressRanges &ranges, uint64_t address) const;

    // Returns true if running code in the ranges leads to an address, from which that code is
    // reached without leaving the ranges.
    bool repeats(uint64_t address, const AddressRanges &ranges) const;

  private:
    bool runs_after(uint64_t first, uint64_t second) const;
};

class ObjdumpFlow {
  public:
    explicit ObjdumpFlow(const std::string &path);

    ObjdumpBody body(const AddressRanges &ranges, uint64_t entry) const;

  private:
    // The bytes of one of the kernel's tables.
    struct Table {
        uint64_t address = 0, size = 0;
        const uint8_t *bytes = nullptr;
    };
    struct Instruction {
        uint64_t address = 0;
        uint64_t target = 0;  // of a direct jump
        char kind = 'n';      // n: goes on, j: jumps, c: may jump, x: jumps anywhere, r: ends,
                              // i: fills a gap
    };
    struct Replaced {
        uint64_t begin = 0, end = 0;   // the code
        uint64_t first = 0, last = 0;  // what replaces it
    };

    void read_tables(const std::string &path);
    void read_alternatives(const Table &table, uint64_t entry_size);
    const Instruction *at(uint64_t address) const;
    void add_jumps_of(uint64_t begin, uint64_t end, const AddressRanges &ranges,
                      std::vector<uint64_t> &out) const;

    std::vector<Instruction> instructions_;  // in order
    std::map<uint64_t, uint64_t> keys_, fixups_;
    std::vector<Replaced> alternatives_;
};

}  // namespace btf_extra::test

#endif
