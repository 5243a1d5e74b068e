// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// BTF types as C writes them.
#ifndef BTF_EXTRA_C_TYPE_H
#define BTF_EXTRA_C_TYPE_H

#include <cstdint>
#include <string>

#include "userspace/format/core_api.h"
#include "userspace/text/loc_text.h"

namespace btf_extra {

// "unsigned int skb_headlen(const struct sk_buff *skb)", for the id of a FUNC. Types that are not
// at hand read "?", and text without end (types that contain themselves) stops with "...".
std::string c_prototype(const btf_blob &blob, uint32_t func_id);

// "int (*name)[4]", for the id of a type; the name may be empty.
std::string c_declaration(const btf_blob &blob, uint32_t type_id, std::string name);

// Size and sign of a value of that type, through typedefs and qualifiers.
ValueType value_type(const btf_blob &blob, uint32_t type_id);

// The parameters of a FUNC: its FUNC_PROTO's, without the void at the end of a variadic one.
struct FuncParams {
    const btf_param *params = nullptr;  // NULL: the prototype is not at hand
    uint32_t count = 0;
    bool variadic = false;
};
FuncParams func_params(const btf_blob &blob, uint32_t func_id);

}  // namespace btf_extra

#endif
