// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads what people write for `btf-extra trace --filter`, --show and --summary. It is text still,
// not yet values of a function.
#ifndef BTF_EXTRA_TRACE_EXPRESSION_H
#define BTF_EXTRA_TRACE_EXPRESSION_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra {

// One of "->member", ".member", "[5]"; "*value" is one as well, "[0]".
struct Access {
    enum Kind { kArrow, kDot, kIndex } kind;
    std::string member;
    uint64_t index = 0;
};

struct Operand {
    enum Kind { kPath, kNumber, kText } kind = kPath;
    std::string text;    // of a path: as it was written; else the characters
    std::string name;    // of a path: what it begins with
    std::string object;  // of a variable, if it was written: "vmlinux"
    std::vector<Access> accesses;
    uint64_t number = 0;
    bool negative = false;  // the number, which is then two's complement
    uint64_t mask = ~uint64_t{0};
};

// Codes of one step, in postfix order.
struct FilterStep {
    enum Code {
        kEqual,
        kNotEqual,
        kLess,
        kLessEqual,
        kGreater,
        kGreaterEqual,
        kNotZero,
        kAnd,
        kOr,
        kNot
    } code;
    Operand left, right;  // of comparisons; kNotZero has the left one
};

// filter  = and {"||" and}
// and     = not {"&&" not}
// not     = "!" not | "(" filter ")" | test
// test    = (path | "(" path "&" number ")") [comparison operand] | path "&" number
// operand = path | number | "'" character "'" | '"' text '"'
// path    = {"*"} [name ":"] name {"->" name | "." name | "[" number "]"}
Result<std::vector<FilterStep>> parse_filter(std::string_view text);

// Paths with commas between them.
Result<std::vector<Operand>> parse_paths(std::string_view text);

}  // namespace btf_extra

#endif
