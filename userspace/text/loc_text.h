// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes a LOC_PARAM as text in two forms: as upstream's bpftool, `*(reg7 + 0x8)`, and for people,
// `*(%rsp+0x8):u32`.
#ifndef BTF_EXTRA_LOC_TEXT_H
#define BTF_EXTRA_LOC_TEXT_H

#include <cstdint>
#include <functional>
#include <string>

#include "userspace/format/core_api.h"

namespace btf_extra {

// Any LOC_PARAM record is safe. The text is "(invalid)" if the record is no location.
std::string loc_text(const btf_type *param);

// Returns "%rdi", "x0" or "fbreg".
std::string register_name(uint16_t machine, uint32_t number);

// Returns a name for an address that is relative to the object's base: "jiffies", "foo+0x8".
using AddressName = std::function<std::string(uint64_t)>;

// type is the declared type of the parameter. A suffix :uN or :sN follows if the value does not
// have 8 bytes or is smaller than the parameter.
std::string loc_text_for_people(const btf_type *param, uint16_t machine, btf_value type,
                                const AddressName &address_name);

}  // namespace btf_extra

#endif
