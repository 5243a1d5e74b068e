// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the parameters of sites: where each is when a call begins there.
#ifndef BTF_EXTRA_SITE_PARAMS_H
#define BTF_EXTRA_SITE_PARAMS_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "userspace/generator/dwarf/code_place.h"
#include "userspace/generator/locations/parameter_place.h"
#include "userspace/generator/sites/unit_state.h"

namespace btf_extra::generator {

// A site whose entry is being read.
struct OpenSite {
    const SourceFunctions::Function &function;
    CodePoint point;
    const Enclosing &enclosing;
    const CodePlace *body = nullptr;  // the code of an out-of-line function; nullptr: inlined
    uint32_t frame = CodeFrame::kNoCaller;
    std::vector<CodeRange> ranges = {};                // only if locations are those of last values
    bool is_another = false;                           // its entry has been read for a first site
    ParamParts parts = {};                             // of a body
    std::optional<uint32_t> instance = std::nullopt;   // in UnitState::instances
    std::optional<uint32_t> remainder = std::nullopt;  // in UnitState::calls
    size_t first_slot = 0;                             // its parameters in SiteParams
};

// Sites are nested: the parameters of an inner one are read while those of the outer are.
class SiteParams {
  public:
    explicit SiteParams(UnitState &state);

    // Makes room for the parameters of a site, none of them located.
    void begin(OpenSite &site);
    // Reads the entry of a parameter. Returns the offset after it; 0: it is malformed.
    uint64_t read(const Die &die, OpenSite &site);
    // Reads all parameters in the entry of a site.
    void read_all(const Die &die, OpenSite &site);
    // Returns the parameters of the innermost site.
    std::span<const ParamSlot> of(const OpenSite &site) const {
        return std::span(slots_).subspan(site.first_slot);
    }
    void end(const OpenSite &site) { slots_.resize(site.first_slot); }

  private:
    SiteContext context_of(const OpenSite &site, uint64_t distance = 0) const;
    // Returns where a parameter is at a site.
    Location locate(const ParameterPlace &place, const OpenSite &site, uint64_t size);
    // Notes what the location of a parameter shows of its values.
    void note_values(size_t position, const ParameterPlace &place, const OpenSite &site);

    UnitState &state_;
    const ExprFormat format_;
    std::vector<ParamSlot> slots_;  // the innermost site's last
};

}  // namespace btf_extra::generator

#endif
