// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Returns a type as text down to the first name in it, "*const struct sk_buff". The text is the
// same from DWARF and from BTF.
#ifndef BTF_EXTRA_TESTS_TYPE_TEXT_H
#define BTF_EXTRA_TESTS_TYPE_TEXT_H

#include <cstdint>
#include <string>

#include <elfutils/libdw.h>

#include "userspace/format/core_api.h"

namespace btf_extra::test {

// Returns the text of the DW_AT_type that an entry refers to: "void" if it has none.
std::string dwarf_type_text(Dwarf_Die die);

// id is in the blob or below it.
std::string btf_type_text(const btf_blob &blob, uint32_t id);

}  // namespace btf_extra::test

#endif
