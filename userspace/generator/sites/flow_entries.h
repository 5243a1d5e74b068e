// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Moves the sites of a unit of clang to the entries of their instances, which the control flow
// shows, because clang marks none.
#ifndef BTF_EXTRA_FLOW_ENTRIES_H
#define BTF_EXTRA_FLOW_ENTRIES_H

#include <cstdint>
#include <optional>
#include <span>

#include "userspace/generator/dwarf/source_rows.h"
#include "userspace/generator/sites/site_marker.h"
#include "userspace/generator/sites/site_params.h"
#include "userspace/generator/sites/unit_state.h"

namespace btf_extra::generator {

class FlowEntries {
  public:
    FlowEntries(UnitState &state, SiteMarker &marker, SiteParams &params)
        : state_(state), marker_(marker), params_(params), rows_(state.sections, state.unit) {}

    // An instance gets a site for each of its entries. The entry of a site is known if it is
    // proven.
    void find();

  private:
    // Returns nothing if there is no place for a site at the entry.
    std::optional<Site> site_at(uint32_t instance, const CallEntries::Entry &entry);
    // Takes back the proof of entries of an instance if its calls may begin elsewhere, too.
    void doubt(uint32_t instance, std::span<CallEntries::Entry> entries);

    UnitState &state_;
    SiteMarker &marker_;
    SiteParams &params_;
    const SourceRows rows_;
};

}  // namespace btf_extra::generator

#endif
