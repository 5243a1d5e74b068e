// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/dwarf_builder.h"

#include <utility>

namespace btf_extra::test {
namespace {

void append(std::vector<uint8_t> &out, const Expr &bytes) {
    out.insert(out.end(), bytes.bytes.begin(), bytes.bytes.end());
}

void overwrite(std::vector<uint8_t> &out, uint64_t at, uint64_t value, uint8_t size) {
    for (uint8_t i = 0; i < size; i++)
        out.at(at + i) = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace

// The abbreviations of one unit.
struct DwarfBuilder::Table {
    Expr bytes;
    std::map<std::vector<uint8_t>, uint64_t> codes;  // by the bytes that follow the code
    uint64_t next = 1;

    uint64_t code_of(const Entry &entry) {
        Expr shape =
            uleb(entry.tag) + fixed(entry.has_children || !entry.children.empty() ? 1 : 0, 1);
        for (const Attribute &attribute : entry.attributes) {
            shape += uleb(attribute.name) + uleb(attribute.form);
            if (attribute.form == DW_FORM_implicit_const)
                shape += sleb(static_cast<int64_t>(attribute.number));
        }
        shape += uleb(0) + uleb(0);
        const auto [known, fresh] = codes.try_emplace(shape.bytes, entry.code.value_or(next));
        if (fresh) {
            bytes += uleb(known->second) + shape;
            if (!entry.code)
                next++;
        }
        return known->second;
    }
};

Entry entry(uint16_t tag, std::vector<Attribute> attributes, std::vector<Entry> children) {
    return {.tag = tag, .attributes = std::move(attributes), .children = std::move(children)};
}

Attribute attr::text(uint16_t name, std::string_view value) {
    Attribute attribute{.name = name, .form = DW_FORM_string};
    attribute.bytes.bytes.assign(value.begin(), value.end());
    attribute.bytes.bytes.push_back(0);
    return attribute;
}

void DwarfBuilder::add_unit(const Entry &root, const UnitShape &shape) {
    std::vector<uint8_t> &info = sections_[".debug_info"];
    std::vector<uint8_t> &abbrev = sections_[".debug_abbrev"];
    const uint64_t unit = info.size();
    if (shape.offset_size == 8)
        append(info, fixed(0xffffffff, 4));
    const uint64_t length_at = info.size();
    append(info, fixed(0, shape.offset_size) + fixed(shape.version, 2));
    const Expr abbrev_offset =
        fixed(shape.abbrev_offset.value_or(abbrev.size()), shape.offset_size);
    if (shape.version >= 5)
        append(info, fixed(shape.type, 1) + fixed(shape.address_size, 1) + abbrev_offset);
    else
        append(info, abbrev_offset + fixed(shape.address_size, 1));
    Table table;
    write(root, shape, unit, table);
    const uint64_t length = info.size() - length_at - shape.offset_size;
    overwrite(info, length_at, shape.length.value_or(length), shape.offset_size);
    append(abbrev, table.bytes + uleb(0));
}

void DwarfBuilder::write(const Entry &entry, const UnitShape &shape, uint64_t unit, Table &table) {
    std::vector<uint8_t> &info = sections_[".debug_info"];
    if (!entry.label.empty())
        labels_[entry.label] = info.size();
    append(info, uleb(table.code_of(entry)));
    for (const Attribute &attribute : entry.attributes)
        write(attribute, attribute.form, shape, unit);
    for (const Entry &child : entry.children)
        write(child, shape, unit, table);
    if ((entry.has_children || !entry.children.empty()) && entry.ends)
        append(info, uleb(0));
}

void DwarfBuilder::write(const Attribute &attribute, uint16_t form, const UnitShape &shape,
                         uint64_t unit) {
    std::vector<uint8_t> &info = sections_[".debug_info"];
    const auto reference = [&](uint8_t size, uint64_t from) {
        if (!attribute.target.empty())
            fixups_.push_back({info.size(), size, from, attribute.target});
        append(info, fixed(attribute.number, size));
    };
    switch (form) {
    case DW_FORM_indirect:
        append(info, uleb(*attribute.indirect));
        if (*attribute.indirect == DW_FORM_indirect)
            return append(info, attribute.bytes);
        return write(attribute, *attribute.indirect, shape, unit);
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_addrx1:
    case DW_FORM_strx1:
        return append(info, fixed(attribute.number, 1));
    case DW_FORM_data2:
    case DW_FORM_addrx2:
        return append(info, fixed(attribute.number, 2));
    case DW_FORM_addrx3:
        return append(info, fixed(attribute.number, 3));
    case DW_FORM_data4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4:
        return append(info, fixed(attribute.number, 4));
    case DW_FORM_data8:
    case DW_FORM_ref_sup8:
    case DW_FORM_ref_sig8:
        return append(info, fixed(attribute.number, 8));
    case DW_FORM_addr:
        return append(info, fixed(attribute.number, shape.address_size));
    case DW_FORM_sec_offset:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
    case DW_FORM_GNU_ref_alt:
        return append(info, fixed(attribute.number, shape.offset_size));
    case DW_FORM_udata:
    case DW_FORM_addrx:
    case DW_FORM_strx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
        return append(info, uleb(attribute.number));
    case DW_FORM_sdata:
        return append(info, sleb(static_cast<int64_t>(attribute.number)));
    case DW_FORM_exprloc:
    case DW_FORM_block:
        return append(info, block(attribute.bytes));
    case DW_FORM_block1:
        return append(info, fixed(attribute.bytes.bytes.size(), 1) + attribute.bytes);
    case DW_FORM_ref1:
        return reference(1, unit);
    case DW_FORM_ref2:
        return reference(2, unit);
    case DW_FORM_ref4:
        return reference(4, unit);
    case DW_FORM_ref8:
        return reference(8, unit);
    case DW_FORM_ref_addr:
        return reference(shape.version <= 2 ? shape.address_size : shape.offset_size, 0);
    default:  // DW_FORM_string, and any other form of a test
        return append(info, attribute.bytes);
    }
}

const std::map<std::string, std::vector<uint8_t>> &DwarfBuilder::sections() {
    for (const Fixup &fixup : std::exchange(fixups_, {}))
        overwrite(sections_[".debug_info"], fixup.at, labels_.at(fixup.target) - fixup.from,
                  fixup.size);
    return sections_;
}

}  // namespace btf_extra::test
