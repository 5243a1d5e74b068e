// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The evaluation of a DWARF expression depends on the place where it is evaluated, and on the form
// in which its unit writes operands.
#ifndef BTF_EXTRA_EXPR_CONTEXT_H
#define BTF_EXTRA_EXPR_CONTEXT_H

#include <cstdint>
#include <optional>
#include <span>

#include "userspace/generator/dwarf/address_form.h"

namespace btf_extra::generator {

// DW_TAG_base_type, for typed operations.
struct BaseType {
    uint32_t size = 0;  // bytes
    uint32_t bits = 0;  // of a value: clang has types of one bit in a byte; 0: all of them
    bool is_integer = false;
    bool is_signed = false;

    uint32_t width() const { return bits != 0 ? bits : size * 8; }
};

// Answers what an expression may ask about the place where it is evaluated.
class ExprContext {
  public:
    virtual ~ExprContext() = default;

    // The canonical frame address at the site, by the call frame information. nullopt: it is not
    // register + offset.
    virtual std::optional<RegisterOffset> call_frame_cfa() = 0;
    // DW_AT_frame_base of the containing function, as it is at the site. Empty: there is none.
    virtual std::span<const uint8_t> frame_base() = 0;
    // True when the site is the entry of the function that contains it.
    virtual bool at_function_entry() const = 0;
    // An entry of .debug_addr, for DW_OP_addrx and DW_OP_constx.
    virtual std::optional<uint64_t> indexed_address(uint64_t index) = 0;
    // The base type at an offset from the start of the unit.
    virtual std::optional<BaseType> base_type(uint64_t unit_offset) = 0;
    virtual AddressConstant address_constant(uint64_t link_address) = 0;
};

// Describes the target, and the operands in the unit.
struct ExprFormat {
    uint32_t registers = 17;   // DWARF registers that exist in the wire format
    uint32_t saved = 16;       // those that the kernel saves, which expressions can read
    uint8_t address_size = 8;  // 8 only
    uint8_t offset_size = 4;   // 4: 32-bit DWARF, 8: 64-bit DWARF
    uint8_t version = 5;       // of DWARF; references in version 2 have the size of an address
};

}  // namespace btf_extra::generator

#endif
