// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Type entries of .debug_info as SourceType.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "userspace/generator/dwarf_unit.h"
#include "userspace/generator/site_model.h"

namespace btf_extra {

// All units of a file, opened on demand. One for each thread.
class UnitSet {
  public:
    UnitSet(const DebugSections &sections, const std::vector<UnitHeader> &headers)
        : sections_(sections), headers_(headers) {}

    // The unit that holds an offset of .debug_info, or nullptr: none, or
    // malformed. Valid until forget().
    const Unit *at(uint64_t offset);
    // Closes all units but one.
    void forget_others(const Unit *kept);

  private:
    const DebugSections &sections_;
    const std::vector<UnitHeader> &headers_;
    std::map<uint64_t, std::unique_ptr<Unit>> open_;  // by offset of the header
    const Unit *last_ = nullptr;
};

class DwarfTypes final : public TypeSource {
  public:
    explicit DwarfTypes(UnitSet &units) : units_(units) {}

    SourceType describe(TypeRef ref, bool details) override;
    // Bytes of a value of the type; 0: none, or not known.
    uint64_t size_of(TypeRef ref);

  private:
    void read_children(const Unit &unit, const Die &die, SourceType &type);
    static SourceMember read_member(const Unit &unit, const Die &die);

    UnitSet &units_;
};

}  // namespace btf_extra
