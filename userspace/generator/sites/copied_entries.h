// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds where inlined instances are entered besides their DW_AT_entry_pc. GCC may copy their code
// (the head of a loop, jump threading, unrolling): a call then begins at one of the copies. DWARF
// has one entry for all copies, but since GCC 8 (-ginline-points) the line program has a row for
// each: the statement at which an instance is entered is where the function is declared.
#ifndef BTF_EXTRA_COPIED_ENTRIES_H
#define BTF_EXTRA_COPIED_ENTRIES_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/line_program.h"

namespace btf_extra::generator {

// The instances of one unit.
class CopiedEntries {
  public:
    // A call begins here, too. instances are numbers in order of add_instance(); if there are
    // several, the call is of one of them.
    struct Copy {
        CodePoint point;
        std::vector<uint32_t> instances;
    };

    // Adds a function that instances may be in, and returns its number. entry is its own.
    uint32_t add_body(const SourcePlace &declared, uint64_t entry,
                      std::span<const CodeRange> ranges);
    // has_entry: DWARF says that it is entered there. ranges may be empty ones. body is the number
    // of the function around it.
    void add_instance(const SourcePlace &declared, uint64_t entry, bool has_entry,
                      std::span<const CodeRange> ranges, uint32_t body);

    std::span<const CodeRange> ranges_of(uint32_t instance) const;
    std::span<const CodeRange> ranges_of_body(uint32_t body) const;
    uint64_t entry_of_body(uint32_t body) const { return body_entries_[body]; }
    // Returns the code of all bodies that were added, in order of where it begins. A body of which
    // only the entry is known is a range of no length.
    std::vector<CodeRange> pieces() const;

    // Reads the line program. Nothing is added after that. same_files is as in SourceFunctions.
    void read_rows(const DebugSections &sections, const Unit &unit,
                   std::span<const uint64_t> same_files);
    // Returns the addresses in the line program, in order; none, if no instance was added.
    std::span<const uint64_t> row_addresses() const { return row_addresses_; }
    // Returns true if an instance is entered where it was said to be.
    bool has_entry(uint32_t instance) const { return has_entry_[instance]; }
    // Returns the instance that has its code there, or the only one of which nothing but a range of
    // no length is left there.
    std::optional<uint32_t> only_instance_at(const Copy &copy) const;
    // Returns them in order of (place of the function, address). Those outside of all functions
    // that were added are left out.
    std::vector<Copy> find() const;

  private:
    // Consecutive ranges in ranges_.
    struct Ranges {
        uint32_t first = 0;
        uint32_t count = 0;
    };
    struct Entry {
        SourcePlace declared;
        uint64_t address = 0;
        auto operator<=>(const Entry &) const = default;
    };
    struct Row {
        Entry entry;
        uint64_t view = 0;
        auto operator<=>(const Row &) const = default;
    };
    struct Instance {
        Entry entry;
        uint32_t number = 0;
        uint32_t body = 0;  // its number in bodies_
    };

    Ranges keep(std::span<const CodeRange> ranges);
    bool hold(Ranges ranges, uint64_t address) const;
    bool end_at(Ranges ranges, uint64_t address) const;
    bool known(const Entry &entry) const;
    std::vector<uint32_t> instances_at(const Entry &entry) const;

    std::vector<Instance> instances_;
    std::vector<Ranges> instance_ranges_;  // by number
    std::vector<bool> has_entry_;          // by number
    std::vector<Ranges> bodies_;           // by number
    std::vector<uint64_t> body_entries_;   // likewise
    std::vector<CodeRange> ranges_;
    std::vector<Entry> known_;  // the entries of instances and bodies
    std::vector<Row> rows_;     // statements at declarations
    std::vector<uint64_t> row_addresses_;
};

}  // namespace btf_extra::generator

#endif
