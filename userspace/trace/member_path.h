// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds by BTF where "skb->dev->name" is, from the value of a parameter on.
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
    uint32_t type_id;
};

// param: the number of the parameter, whose type is type_id. as_text: a pointer to characters
// stands for the characters.
Result<MemberPath> find_member(const btf_blob &blob, uint8_t param, uint32_t type_id,
                               const Operand &path, bool as_text);

}  // namespace btf_extra

#endif
