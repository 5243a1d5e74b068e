// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes location lists, range lists, address tables and call frame information as they are read.
// Numbers are those of DWARF 5, 7.7.3, 7.25 and 7.29.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/support/expr_bytes.h"

namespace btf_extra::test {

inline Expr address(uint64_t value) {
    return fixed(value, 8);
}

// .debug_loclists
namespace lle {

inline Expr end() {
    return raw({0x00});
}
inline Expr base_addressx(uint64_t index) {
    return raw({0x01}) + uleb(index);
}
inline Expr startx_endx(uint64_t first, uint64_t last, const Expr &expression) {
    return raw({0x02}) + uleb(first) + uleb(last) + block(expression);
}
inline Expr startx_length(uint64_t first, uint64_t length, const Expr &expression) {
    return raw({0x03}) + uleb(first) + uleb(length) + block(expression);
}
inline Expr offset_pair(uint64_t begin, uint64_t end, const Expr &expression) {
    return raw({0x04}) + uleb(begin) + uleb(end) + block(expression);
}
inline Expr default_location(const Expr &expression) {
    return raw({0x05}) + block(expression);
}
inline Expr base_address(uint64_t base) {
    return raw({0x06}) + address(base);
}
inline Expr start_end(uint64_t begin, uint64_t end, const Expr &expression) {
    return raw({0x07}) + address(begin) + address(end) + block(expression);
}
inline Expr start_length(uint64_t begin, uint64_t length, const Expr &expression) {
    return raw({0x08}) + address(begin) + uleb(length) + block(expression);
}
// GNU's extension gives the views of the next entry.
inline Expr view_pair(uint64_t begin, uint64_t end) {
    return raw({0x09}) + uleb(begin) + uleb(end);
}

}  // namespace lle

// .debug_loc (DWARF 4)
namespace loc {

inline Expr pair(uint64_t begin, uint64_t end, const Expr &expression) {
    return address(begin) + address(end) + fixed(expression.bytes.size(), 2) + expression;
}
inline Expr base(uint64_t value) {
    return address(UINT64_MAX) + address(value);
}
inline Expr end() {
    return address(0) + address(0);
}

}  // namespace loc

// .debug_rnglists
namespace rle {

inline Expr end() {
    return raw({0x00});
}
inline Expr base_addressx(uint64_t index) {
    return raw({0x01}) + uleb(index);
}
inline Expr startx_endx(uint64_t first, uint64_t last) {
    return raw({0x02}) + uleb(first) + uleb(last);
}
inline Expr startx_length(uint64_t first, uint64_t length) {
    return raw({0x03}) + uleb(first) + uleb(length);
}
inline Expr offset_pair(uint64_t begin, uint64_t end) {
    return raw({0x04}) + uleb(begin) + uleb(end);
}
inline Expr base_address(uint64_t base) {
    return raw({0x05}) + address(base);
}
inline Expr start_end(uint64_t begin, uint64_t end) {
    return raw({0x06}) + address(begin) + address(end);
}
inline Expr start_length(uint64_t begin, uint64_t length) {
    return raw({0x07}) + address(begin) + uleb(length);
}

}  // namespace rle

// .debug_ranges (DWARF 4)
namespace range {

inline Expr pair(uint64_t begin, uint64_t end) {
    return address(begin) + address(end);
}
inline Expr base(uint64_t value) {
    return address(UINT64_MAX) + address(value);
}
inline Expr end() {
    return address(0) + address(0);
}

}  // namespace range

// Returns the header of .debug_loclists or .debug_rnglists, its table of offsets, and the lists.
// The header alone has kListsHeader bytes.
constexpr uint64_t kListsHeader = 12;
inline Expr list_section(const std::vector<Expr> &lists, bool with_table = false) {
    Expr table;
    Expr bytes;
    uint64_t at = with_table ? 4 * lists.size() : 0;
    for (const Expr &list : lists) {
        if (with_table)
            table += fixed(at, 4);
        bytes += list;
        at += list.bytes.size();
    }
    const Expr rest = fixed(5, 2) + fixed(8, 1) + fixed(0, 1) +
                      fixed(with_table ? lists.size() : 0, 4) + table + bytes;
    return fixed(rest.bytes.size(), 4) + rest;
}

// Returns .debug_addr: a header of kAddrHeader bytes, then the addresses.
constexpr uint64_t kAddrHeader = 8;
inline Expr addr_section(const std::vector<uint64_t> &addresses) {
    Expr rest = fixed(5, 2) + fixed(8, 1) + fixed(0, 1);
    for (const uint64_t each : addresses)
        rest += address(each);
    return fixed(rest.bytes.size(), 4) + rest;
}

// .debug_frame for x86-64: one CIE with the state at a function's first instruction (CFA = reg7 +
// 8, return address at CFA - 8), then FDEs.
namespace cfa {

inline Expr def(uint64_t reg, uint64_t offset) {
    return raw({0x0c}) + uleb(reg) + uleb(offset);
}
inline Expr def_offset(uint64_t offset) {
    return raw({0x0e}) + uleb(offset);
}
inline Expr def_register(uint64_t reg) {
    return raw({0x0d}) + uleb(reg);
}
inline Expr def_expression(const Expr &expression) {
    return raw({0x0f}) + block(expression);
}
inline Expr advance(uint8_t bytes) {  // bytes is below 0x40
    return raw({static_cast<uint8_t>(0x40 | bytes)});
}
inline Expr entry(Expr content) {
    while ((content.bytes.size() + 4) % 8 != 0)
        content.bytes.push_back(0);  // DW_CFA_nop
    return fixed(content.bytes.size(), 4) + content;
}
inline Expr cie() {
    return entry(fixed(0xffffffff, 4) + raw({1, 0}) + uleb(1) + sleb(-8) + raw({16}) + def(7, 8) +
                 raw({0x80 | 16, 1}));
}
// Returns an FDE of the CIE at offset 0.
inline Expr fde(uint64_t begin, uint64_t size, const Expr &instructions) {
    return entry(fixed(0, 4) + address(begin) + address(size) + instructions);
}

}  // namespace cfa

}  // namespace btf_extra::test
