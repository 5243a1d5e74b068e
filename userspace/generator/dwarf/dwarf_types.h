// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the type entries of .debug_info.
#ifndef BTF_EXTRA_DWARF_TYPES_H
#define BTF_EXTRA_DWARF_TYPES_H

#include <cstdint>

#include "userspace/generator/dwarf/dwarf_unit.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// Returns what a DW_AT_type refers to.
inline TypeRef type_ref(const AttributeValue &type) {
    return type.kind == AttributeValue::kReference ? type.number : type ? kNowhere : 0;
}

class DwarfTypes final : public TypeSource {
  public:
    explicit DwarfTypes(const UnitSet &units) : units_(units) {}

    SourceType describe(TypeRef ref, bool details) override;
    // Returns the bytes of a value of the type. 0: there are none, or they are not known.
    uint64_t size_of(TypeRef ref);
    // Returns true if a type that was asked for is no entry.
    bool refers_to_nothing() const { return refers_to_nothing_; }

  private:
    void read_children(const Unit &unit, const Die &die, SourceType &type);
    static SourceMember read_member(const Unit &unit, const Die &die);

    const Unit *unit_at(uint64_t offset);

    const UnitSet &units_;
    const Unit *last_ = nullptr;  // most references stay in one unit
    bool refers_to_nothing_ = false;
};

}  // namespace btf_extra::generator

#endif
