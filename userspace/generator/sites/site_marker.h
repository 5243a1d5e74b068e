// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Places sites in sections, and marks them by what their code is: where no probe may be, where
// ftrace lists no function, where the code repeats.
#ifndef BTF_EXTRA_SITE_MARKER_H
#define BTF_EXTRA_SITE_MARKER_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "userspace/generator/sites/after_key.h"
#include "userspace/generator/sites/unit_state.h"

namespace btf_extra::generator {

class SiteMarker {
  public:
    explicit SiteMarker(UnitState &state) : state_(state) {}

    // Looks up what tracers may do at the entry of a body.
    void look_up_body(const SourceFunctions::Function *function, Enclosing &body) const;
    // Returns false if the address is in no executable section.
    bool place(Site &site, uint64_t address, const Enclosing &enclosing);
    // ranges: of the instance that is entered there.
    bool is_loop_head(uint64_t entry, std::span<const CodeRange> ranges);
    // Marks an inline site at a static key, if the instruction after that does for a probe. Its
    // parameters are then those of that instruction.
    void judge_key(Site &site, const Enclosing &enclosing, std::span<const ParamSlot> slots);
    // Judges the sites if ftrace knows no function of the unit. It comes last.
    void judge_untraced_unit();

  private:
    std::optional<std::vector<ParamSlot>> slots_after(const FlowChanges &changes,
                                                      std::span<const ParamSlot> slots);

    UnitState &state_;
    std::map<uint64_t, std::optional<FlowChanges>> at_keys_;  // by address of the key's instruction
    bool is_traced_ = false;                                  // the compiler made calls for ftrace
};

}  // namespace btf_extra::generator

#endif
