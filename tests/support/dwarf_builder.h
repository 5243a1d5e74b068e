// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Builds .debug_info and .debug_abbrev from a tree of entries, without any check: they may be as
// wrong as a test wants. Abbreviations are added as the entries need them.
#pragma once

#include <dwarf.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/expr_bytes.h"

namespace btf_extra::test {

struct Attribute {
    uint16_t name = 0;
    uint16_t form = 0;
    uint64_t number = 0;                 // for forms with a number
    Expr bytes{};                        // for forms with a block; strings with their NUL; kRaw
    std::string target{};                // for references: the label of an entry
    std::optional<uint16_t> indirect{};  // the form that follows DW_FORM_indirect
};

// An entry, its children and the null entry that ends them.
struct Entry {
    uint16_t tag = 0;
    std::vector<Attribute> attributes{};
    std::vector<Entry> children{};
    std::string label{};             // references name it
    std::optional<uint64_t> code{};  // code of its abbreviation; if empty, the next free one
    bool has_children = false;       // may be true without children
    bool ends = true;                // false: no null entry follows the children

    Entry &&labelled(std::string text) && {
        label = std::move(text);
        return std::move(*this);
    }
};

Entry entry(uint16_t tag, std::vector<Attribute> attributes, std::vector<Entry> children = {});

// These functions make attributes, one for each class of value.
namespace attr {

inline Attribute number(uint16_t name, uint16_t form, uint64_t value) {
    return {.name = name, .form = form, .number = value};
}
inline Attribute byte(uint16_t name, uint8_t value) {
    return number(name, DW_FORM_data1, value);
}
inline Attribute address(uint16_t name, uint64_t value) {
    return number(name, DW_FORM_addr, value);
}
inline Attribute offset(uint16_t name, uint64_t value) {
    return number(name, DW_FORM_sec_offset, value);
}
inline Attribute flag(uint16_t name) {
    return number(name, DW_FORM_flag_present, 0);
}
Attribute text(uint16_t name, std::string_view value);
inline Attribute expression(uint16_t name, Expr value) {
    return {.name = name, .form = DW_FORM_exprloc, .bytes = std::move(value)};
}
// These refer to the entry with the label: to() in the same unit, far_to() in any unit.
inline Attribute to(uint16_t name, std::string label) {
    return {.name = name, .form = DW_FORM_ref4, .target = std::move(label)};
}
inline Attribute far_to(uint16_t name, std::string label) {
    return {.name = name, .form = DW_FORM_ref_addr, .target = std::move(label)};
}
inline Attribute indirect(Attribute value) {
    value.indirect = std::exchange(value.form, DW_FORM_indirect);
    return value;
}

}  // namespace attr

struct UnitShape {
    uint16_t version = 5;
    uint8_t offset_size = 4;
    uint8_t address_size = 8;
    uint8_t type = DW_UT_compile;
    std::optional<uint64_t> length{};         // if empty, the true length
    std::optional<uint64_t> abbrev_offset{};  // if empty, the true offset
};

class DwarfBuilder {
  public:
    void add_unit(const Entry &root, const UnitShape &shape = {});

    // Returns the offset in .debug_info of the entry with the label.
    uint64_t offset_of(const std::string &label) const { return labels_.at(label); }

    // Returns all sections by name, with all references filled in.
    const std::map<std::string, std::vector<uint8_t>> &sections();

    // Returns the bytes of a section, which a test may extend or damage.
    std::vector<uint8_t> &section(const std::string &name) { return sections_[name]; }

  private:
    struct Fixup {
        uint64_t at = 0;
        uint8_t size = 0;
        uint64_t from = 0;  // subtracted from the target
        std::string target;
    };
    struct Table;

    void write(const Entry &entry, const UnitShape &shape, uint64_t unit, Table &table);
    void write(const Attribute &attribute, uint16_t form, const UnitShape &shape, uint64_t unit);

    std::map<std::string, std::vector<uint8_t>> sections_;
    std::map<std::string, uint64_t> labels_;
    std::vector<Fixup> fixups_;
};

}  // namespace btf_extra::test
