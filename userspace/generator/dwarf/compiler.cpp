// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/compiler.h"

#include <charconv>

namespace btf_extra::generator {

Compiler compiler_of(std::string_view producer) {
    // "Debian clang version 14.0.6", "Android (...) clang version 17.0.2 (...)"
    if (producer.find("clang") != std::string_view::npos)
        return Compiler::kClang;
    if (producer.starts_with("GNU GIMPLE"))
        return Compiler::kGccLto;
    // "GNU C11 12.2.0 -mno-sse ..."
    constexpr std::string_view kGnuC = "GNU C";
    constexpr unsigned kFirstWithMarks = 8;
    const size_t version = producer.find(' ', kGnuC.size());
    if (!producer.starts_with(kGnuC) || version == std::string_view::npos)
        return Compiler::kOther;
    unsigned major = 0;
    std::from_chars(producer.data() + version + 1, producer.data() + producer.size(), major);
    return major >= kFirstWithMarks ? Compiler::kGcc : Compiler::kOther;
}

}  // namespace btf_extra::generator
