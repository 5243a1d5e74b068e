// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Marks the sites of a unit by where their calls begin, after all its entries have been read: where
// the line program marks entries, where the compiler has copied code, where it has split functions.
#ifndef BTF_EXTRA_ENTRY_MARKS_H
#define BTF_EXTRA_ENTRY_MARKS_H

#include <cstdint>
#include <span>

#include "userspace/generator/sites/site_marker.h"
#include "userspace/generator/sites/site_params.h"
#include "userspace/generator/sites/unit_state.h"

namespace btf_extra::generator {

class EntryMarks {
  public:
    EntryMarks(UnitState &state, SiteMarker &marker, SiteParams &params)
        : state_(state), marker_(marker), params_(params) {}

    // Takes the marks of the line program for entries, and adds a site for each that is new.
    void find_marked_entries();
    void judge_remainders();
    // Marks all inlined sites as those without a known entry.
    void drop_entries();

  private:
    // Returns the mark of a site at an address in a remainder.
    uint8_t mark_of_remainder(const CallEntries::Remainder &remainder, uint64_t address);
    // Marks sites of instances that are entered in unlikely code and run elsewhere without that.
    void judge_unlikely_entries();
    // Adds a site for each statement that the flow of control proves to be a beginning of a call,
    // of functions whose other statements are at the same place of the source.
    void add_sites_in_macros(std::span<const CopiedEntries::Copy> copies);
    // Returns the mark of a copy that may be of the remainder of a split function.
    uint8_t mark_of_copy(const CopiedEntries::Copy &copy);
    void add_copied_site(const CopiedEntries::Copy &copy, uint8_t marks = 0);

    UnitState &state_;
    SiteMarker &marker_;
    SiteParams &params_;
};

}  // namespace btf_extra::generator

#endif
