// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes random DWARF expressions. The grammar prefers what compilers write and what the simplifier
// must get exactly right: masks, extensions and offsets.
#pragma once

#include <cstdint>
#include <random>

#include "tests/support/expr_bytes.h"

namespace btf_extra::test {

class ExprGenerator {
  public:
    explicit ExprGenerator(uint64_t seed) : random_(seed) {}

    // The numbers are the same with every standard library.
    uint64_t below(uint64_t bound) { return random_() % bound; }

    uint64_t param_size();
    // Returns a whole location: an address, a register, a value or pieces.
    Expr location(uint64_t param_size);
    // Returns the expression with a small change. The result is seldom well-formed.
    Expr mutated(Expr expression);

  private:
    bool one_in(uint64_t n) { return below(n) == 0; }
    template <class T, size_t N> T any(const T (&list)[N]) { return list[below(N)]; }

    uint32_t reg_number() { return static_cast<uint32_t>(below(17)); }
    int64_t offset();
    Expr constant();
    Expr number(uint64_t value);
    Expr leaf();
    Expr value(uint32_t depth);  // the result has the generic type
    Expr step(uint32_t depth);   // from a generic value to another
    Expr typed(uint64_t type, uint32_t depth);
    Expr simple_location(uint64_t size);

    std::mt19937_64 random_;
};

}  // namespace btf_extra::test
