// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds by BTF where "skb->dev->name" is, from the value of a parameter on, or from a variable on.
#ifndef BTF_EXTRA_MEMBER_PATH_H
#define BTF_EXTRA_MEMBER_PATH_H

#include <cstdint>
#include <vector>

#include "userspace/bpf/trace_event.h"
#include "userspace/format/core_api.h"
#include "userspace/format/result.h"
#include "userspace/trace/trace_expression.h"

namespace btf_extra {

struct MemberPath {
    trace_value value;
    const btf_blob *blob;  // that has the type; NULL: it is a number
    uint32_t type_id;
};

// param: the number of the parameter, whose type is type_id. as_text: a pointer to characters
// stands for the characters.
Result<MemberPath> find_member(const btf_blob &blob, uint8_t param, uint32_t type_id,
                               const Operand &path, bool as_text);

struct TypedVariable {
    const btf_blob *blob;  // that has the type
    uint32_t type_id;
    uint64_t address;
};

// The same from a variable of the kernel on. whole: structs and arrays are also found, with 0 bits.
Result<MemberPath> find_in_variable(const TypedVariable &variable, const Operand &path,
                                    bool as_text, bool whole);

}  // namespace btf_extra

#endif
