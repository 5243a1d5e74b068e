// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The text that a user writes for a function: "foo", "foo@fs/bar.c", "foo.isra.0" or "#1234".
// "vmlinux:" or "<module>:" may precede each of them.
#ifndef BTF_EXTRA_FUNC_TEXT_H
#define BTF_EXTRA_FUNC_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "userspace/format/result.h"

namespace btf_extra {

struct FuncText {
    std::string object;          // empty: any object
    std::string name;            // empty: the id is given
    std::string file;            // normalised; empty: any file
    std::optional<uint32_t> id;  // id of a FUNC
};

Result<FuncText> parse_func_text(std::string_view text);

}  // namespace btf_extra

#endif
