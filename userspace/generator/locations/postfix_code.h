// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes the operators of an expression: see kernel/core/loc_expression.h.
#ifndef BTF_EXTRA_POSTFIX_CODE_H
#define BTF_EXTRA_POSTFIX_CODE_H

#include <cstdint>
#include <vector>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// Leaves one value on the stack, or the pieces of one. A code that exceeds a limit of expressions
// does not fit, and stays like that.
class PostfixCode {
  public:
    // Nothing yet: to be filled by append_piece().
    PostfixCode() = default;
    static PostfixCode of_register(uint32_t reg);
    static PostfixCode number(uint64_t number);
    // The base of the object + relative.
    static PostfixCode address(uint64_t relative);

    bool fits() const;

    // The top becomes the result of an operator: LOC_CODE_NEGATE or LOC_CODE_COMPLEMENT.
    void apply(uint8_t op);
    // LOC_CODE_*_EXTEND.
    void extend(uint8_t op, uint32_t bits);
    // A binary operator with a number on its right.
    void combine_with(uint8_t op, uint64_t number);
    void combine(uint8_t op, const PostfixCode &right);
    // Loads 1, 2, 4 or 8 bytes from top + offset.
    void load(uint32_t bytes, uint64_t offset);
    // If the last operator is a load that zero-extends as many bytes or more, it becomes one of
    // bytes, with that extension. false: it is not, or no load has the size.
    bool narrow_load(uint32_t bytes, bool is_signed);

    // The value is not available unless the top has only that many low bits. If the check is
    // optional, keep_checks() or drop_checks() decides later.
    void check_bits(uint32_t bits, bool optional);
    void keep_checks() { optional_checks_.clear(); }
    void drop_checks();
    bool has_checks() const { return nr_checks_ != 0; }

    // The top, otherwise and the code itself become one of the last two.
    void select(const PostfixCode &otherwise, const PostfixCode &condition);

    void append_piece(const PostfixCode &value, uint32_t bytes);

    // The whole expression of a value of size bytes. It must fit.
    ExpressionCode with_header(uint32_t size) const;

  private:
    void append(const PostfixCode &other, uint32_t below);
    void begin(uint8_t op);
    void append_number(uint64_t number);

    ExpressionCode operators_;
    std::vector<uint32_t> optional_checks_;  // where they begin, in ascending order
    uint32_t last_ = 0;                      // where the last operator begins
    uint32_t nr_operators_ = 0;
    uint32_t nr_loads_ = 0;
    uint32_t nr_checks_ = 0;
    uint32_t depth_ = 0;  // of the stack, at most
};

}  // namespace btf_extra::generator

#endif
