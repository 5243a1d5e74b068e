// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// .debug_info and .debug_abbrev from a tree of entries, without any check: as
// wrong as a test wants them. Abbreviations are made as the entries need them.
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
    uint64_t number = 0;                 // forms with a number
    Expr bytes{};                        // forms with a block; strings with their NUL; kRaw
    std::string target{};                // references: the label of an entry
    std::optional<uint16_t> indirect{};  // the form behind a DW_FORM_indirect
};

// An entry, and the null entry behind its children.
struct Entry {
    uint16_t tag = 0;
    std::vector<Attribute> attributes{};
    std::vector<Entry> children{};
    std::string label{};             // for references to it
    std::optional<uint64_t> code{};  // of its abbreviation; none: the next free one
    bool has_children = false;       // even where there are none
    bool ends = true;                // false: no null entry behind the children

    Entry &&labelled(std::string text) && {
        label = std::move(text);
        return std::move(*this);
    }
};

Entry entry(uint16_t tag, std::vector<Attribute> attributes, std::vector<Entry> children = {});

// Attributes by the class of their value.
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
// A reference to the entry with that label: in the unit, and anywhere.
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
    std::optional<uint64_t> length{};         // none: the true one
    std::optional<uint64_t> abbrev_offset{};  // none: the true one
};

class DwarfBuilder {
  public:
    void add_unit(const Entry &root, const UnitShape &shape = {});

    // Where the entry with that label is in .debug_info.
    uint64_t offset_of(const std::string &label) const { return labels_.at(label); }

    // By name, with all references filled in.
    const std::map<std::string, std::vector<uint8_t>> &sections();

    // The bytes of a section, to add to or to damage.
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
