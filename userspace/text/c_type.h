// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes BTF types as C.
#ifndef BTF_EXTRA_C_TYPE_H
#define BTF_EXTRA_C_TYPE_H

#include <cstdint>
#include <optional>
#include <string>

#include "userspace/format/core_api.h"

namespace btf_extra {

// Returns "unsigned int skb_headlen(const struct sk_buff *skb)" for the id of a FUNC. A type that
// the blob does not have is "?". A text without end (of types that contain themselves) is cut with
// "...".
std::string c_prototype(const btf_blob &blob, uint32_t func_id);

// Returns false if DWARF does not contain the prototype of a FUNC, see kernel/core/FORMAT.md. Then
// c_prototype() is "foo (prototype not known)", and known_prototype() is empty.
bool has_known_prototype(const btf_blob &blob, uint32_t func_id);
std::optional<std::string> known_prototype(const btf_blob &blob, uint32_t func_id);

// Returns "int (*name)[4]" for the id of a type. The name may be empty.
std::string c_declaration(const btf_blob &blob, uint32_t type_id, std::string name);

// The parameters of a FUNC, from its FUNC_PROTO, without the void that ends a variadic one.
struct FuncParams {
    const btf_param *params = nullptr;  // NULL: the blob does not have the prototype
    uint32_t count = 0;
    bool variadic = false;
};
FuncParams func_params(const btf_blob &blob, uint32_t func_id);

}  // namespace btf_extra

#endif
