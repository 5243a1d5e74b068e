// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A LOC_PARAM as text, in two forms: upstream bpftool's, `*(reg7 + 0x8)`, and
// the one for people, `*(%rsp+0x8):u32`.
#ifndef BTF_EXTRA_LOC_TEXT_H
#define BTF_EXTRA_LOC_TEXT_H

#include <cstdint>
#include <functional>
#include <string>

#include "userspace/format/core_api.h"

namespace btf_extra {

// Any LOC_PARAM record is safe; "(invalid)" for flags or numbers of values that the format lacks.
std::string loc_text(const btf_type *param);

// %rdi, x0, fbreg
std::string register_name(uint16_t machine, uint32_t number);

// What a parameter is declared as; size 0: not known.
struct ValueType {
    uint32_t size = 0;
    bool is_signed = false;
};

// Names an address that is relative to the base of the object: "jiffies", "foo+0x8".
using AddressName = std::function<std::string(uint64_t)>;

// With a suffix :uN or :sN where the value is not 8 bytes, or narrower than the parameter.
std::string loc_text_for_people(const btf_type *param, uint16_t machine, ValueType type,
                                const AddressName &address_name);

}  // namespace btf_extra

#endif
