// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The callers of a traced function, inlined ones too, as people and programs read them.
#ifndef BTF_EXTRA_CALL_STACK_H
#define BTF_EXTRA_CALL_STACK_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/lib/tables/symbolizer.h"

namespace btf_extra {

// Addresses, innermost first: that of the site, then those that calls return to. An interrupted
// function has the address of an instruction. None: the stack is not known.
using CallStack = std::vector<uint64_t>;

class CallStackText {
  public:
    // Names an address. The answer counts until the next call.
    using Find = std::function<const Symbolizer::Named &(uint64_t address, bool return_address)>;
    explicit CallStackText(Find find) : find_(std::move(find)) {}

    // A line for each function: "    foo (inlined) fs/open.c:331", "    bar+0x12 [module]". The
    // first one is the callee: what else is inlined at its site is called later. "    ?": the
    // stack is not known.
    void append_text(std::string &out, std::string_view callee, const CallStack &stack) const;

    // An array of places as `btf-extra symbolize --json` prints them, or null.
    void append_json(std::string &out, std::string_view callee, const CallStack &stack) const;

    // Puts in the caller of the function that the site is in, if the stack lacks it: see
    // bpf_loc_link(). body: the site is the entry of that function.
    CallStack completed(CallStack stack, uint64_t link, bool body) const;

    // Returns the function that called the callee; "": it is not known. The stack needs no more
    // than the site and where the callee's body returns.
    std::string caller(std::string_view callee, bool inlined, const CallStack &stack) const;

  private:
    template <class Visit>
    void for_each(std::string_view callee, const CallStack &stack, const Visit &visit) const;

    Find find_;
};

}  // namespace btf_extra

#endif
