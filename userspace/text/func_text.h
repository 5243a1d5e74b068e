// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads what a user writes for functions; kernel/core/func_text.h has the syntax. The notation of
// other tools is accepted, too: "foo()", "kprobe:foo", "fentry:xfs:foo".
#ifndef BTF_EXTRA_USERSPACE_FUNC_TEXT_H
#define BTF_EXTRA_USERSPACE_FUNC_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "userspace/format/core_api.h"
#include "userspace/format/result.h"

namespace btf_extra {

struct FuncText {
    std::string object;          // empty: any
    std::string name;            // empty: by id
    std::string file;            // normalised; empty: any
    std::optional<uint32_t> id;  // of a FUNC

    // Returns true if the name is a pattern.
    bool is_glob() const;

    // Returns it in the form of the core, which points into this one.
    func_text core() const;
};

// A place ("foo+0x10", an address) and the return of a function are not functions: the error has
// the text to type instead.
Result<FuncText> parse_func_text(const std::string &text);

}  // namespace btf_extra

#endif
