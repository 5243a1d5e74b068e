// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Answers what location expressions ask about a site.
#ifndef BTF_EXTRA_SITE_CONTEXT_H
#define BTF_EXTRA_SITE_CONTEXT_H

#include <cstdint>
#include <optional>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/locations/expr_context.h"
#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// The out-of-line function around a site.
struct Enclosing {
    uint64_t entry = 0;  // its link-time address
    uint32_t body = 0;   // its number among the bodies of the unit
    AttributeValue frame_base;
    // If kprobes do not keep out of it: the number of its SourceFunction + 1, and whether ftrace
    // knows it. If it does, the code in other places (foo.cold) is to be traced.
    uint32_t function = 0;
    bool traced = false;
};

// Returns the register that clang names as DW_AT_frame_base.
std::optional<uint32_t> frame_register(const AttributeValue &frame_base);

// A context is for one point of one unit, in one piece of the function around it. The objects that
// it refers to must outlive it.
class SiteContext final : public ExprContext {
  public:
    // is_body: the site is the function around it.
    SiteContext(const DebugFile &file, const Unit &unit, FrameTable &frames, TypeSource &types,
                CodePoint point, const Enclosing &enclosing, CodeRange piece, bool is_body)
        : file_(file), unit_(unit), frames_(frames), types_(types), point_(point),
          enclosing_(enclosing), piece_(piece), is_body_(is_body) {}

    std::optional<RegisterOffset> call_frame_cfa() override;
    Bytes frame_base() override;
    bool at_function_entry() const override;
    std::optional<uint64_t> indexed_address(uint64_t index) override;
    std::optional<BaseType> base_type(uint64_t unit_offset) override;
    AddressConstant address_constant(uint64_t link_address) override;

    // Returns the expression of an exprloc, or that of a location list which is in force here.
    // locviews is DW_AT_GNU_locviews. nullopt: no expression is in force, or the list is malformed.
    std::optional<Bytes> expression(const AttributeValue &location,
                                    std::optional<uint64_t> locviews) const;

    // Returns true if an expression counts from a frame that does not exist yet.
    bool before_frame(Bytes expression);

    // Returns true if a parameter is in memory of the containing function's own frame for the whole
    // of its scope. The function keeps it there, but GCC and clang store it at the site or later.
    // The caller's part of the stack is above the CFA, and already stored. param is the result of
    // an exprloc that is not empty.
    bool may_be_stored_later(Bytes expression, const LocParam &param);

    // Returns true if the code of an expression may have another value than the parameter: that of
    // an exprloc may load from that frame, and LLVM extends no operands. is_of_scope: an exprloc.
    bool is_doubtful(const ExpressionCode &code, bool is_of_scope);

  private:
    // Returns true if the function has set up that register: at its entry it is still the caller's.
    bool is_set_up(uint32_t reg);

    const DebugFile &file_;
    const Unit &unit_;
    FrameTable &frames_;
    TypeSource &types_;
    const CodePoint point_;
    const Enclosing &enclosing_;
    const CodeRange piece_;
    const bool is_body_;
};

}  // namespace btf_extra::generator

#endif
