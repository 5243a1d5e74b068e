// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What a user writes for a function: "foo", "foo@fs/bar.c", "foo.isra.0", "#1234",
// each also as "vmlinux:foo" or "<module>:foo".
#ifndef BTF_EXTRA_FUNC_TEXT_H
#define BTF_EXTRA_FUNC_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "userspace/format/result.h"

namespace btf_extra {

struct FuncText {
    std::string object;          // empty: any
    std::string name;            // empty: by id
    std::string file;            // normalised; empty: any
    std::optional<uint32_t> id;  // of a FUNC
};

Result<FuncText> parse_func_text(std::string_view text);

}  // namespace btf_extra

#endif
