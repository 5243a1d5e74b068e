// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A site, as location expressions see it.
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
    AttributeValue frame_base;
};

// At one point of one unit; refers to all that it is made of.
class SiteContext final : public ExprContext {
  public:
    SiteContext(const DebugFile &file, const Unit &unit, FrameTable &frames, TypeSource &types,
                CodePoint point, const Enclosing &enclosing)
        : file_(file), unit_(unit), frames_(frames), types_(types), point_(point),
          enclosing_(enclosing) {}

    std::optional<RegisterOffset> call_frame_cfa() override;
    Bytes frame_base() override;
    bool at_function_entry() const override;
    std::optional<uint64_t> indexed_address(uint64_t index) override;
    std::optional<BaseType> base_type(uint64_t unit_offset) override;
    AddressConstant address_constant(uint64_t link_address) override;

    // The expression of an exprloc, or that of a location list which is in force here, with its
    // DW_AT_GNU_locviews. nullopt: none is, or malformed.
    std::optional<Bytes> expression(const AttributeValue &location,
                                    std::optional<uint64_t> locviews) const;

    // Whether an expression is about a frame that is not there yet.
    bool before_frame(Bytes expression);

    // Whether a parameter is said to be in memory of the containing function's
    // own frame for the whole of its scope. That is where the function keeps
    // it, but not since when: compilers store it at the site or later. What the
    // caller has put on the stack is above the CFA, and there.
    // param: what an exprloc, not empty, has come to.
    bool may_be_stored_later(Bytes expression, const LocParam &param);

  private:
    // Clang's DW_AT_frame_base.
    std::optional<uint32_t> frame_register() const;
    // Whether it is more than what the caller has left in it.
    bool is_set_up(uint32_t reg);

    const DebugFile &file_;
    const Unit &unit_;
    FrameTable &frames_;
    TypeSource &types_;
    const CodePoint point_;
    const Enclosing &enclosing_;
};

}  // namespace btf_extra::generator

#endif
