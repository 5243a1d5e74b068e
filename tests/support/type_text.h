// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A type down to the first name in it, "*const struct sk_buff", the same text
// from DWARF and from BTF.
#ifndef BTF_EXTRA_TESTS_TYPE_TEXT_H
#define BTF_EXTRA_TESTS_TYPE_TEXT_H

#include <cstdint>
#include <string>

#include <elfutils/libdw.h>

#include "userspace/format/core_api.h"

namespace btf_extra::test {

// The DW_AT_type of an entry, by reference: "void" where it has none.
std::string dwarf_type_text(Dwarf_Die die);

// An id of the blob or of what lies below it.
std::string btf_type_text(const btf_blob &blob, uint32_t id);

}  // namespace btf_extra::test

#endif
