// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes an expression as C does: "(%rbx & 0x3f) + 0x14", "*(u32 *)(%rdi + 0x10)". The pieces of a
// value are "{%rax:u64, %rdx:u32}". "fits(%rdi, 32) >> 2" is not available if %rdi has more than 32
// bits.
#ifndef BTF_EXTRA_EXPRESSION_TEXT_H
#define BTF_EXTRA_EXPRESSION_TEXT_H

#include <cstdint>
#include <string>

#include "userspace/text/loc_text.h"

namespace btf_extra {

// Registers have the names of loc_text(): "reg5 + 0x8". An address is "(base + 0x10)".
std::string expression_text(const loc_expression &expression);

// Registers and addresses have the names of loc_text_for_people().
std::string expression_text_for_people(const loc_expression &expression, uint16_t machine,
                                       const AddressName &address_name);

}  // namespace btf_extra

#endif
