// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The events of `btf-extra trace` as lines, for people or JSON.
#ifndef BTF_EXTRA_TRACE_TEXT_H
#define BTF_EXTRA_TRACE_TEXT_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "userspace/bpf/trace_event.h"
#include "userspace/stacks/call_stack.h"
#include "userspace/text/value_text.h"
#include "userspace/trace/trace_plan.h"

namespace btf_extra {

struct TracedParam {
    std::string name;
    ValueFormat format;
};

struct TracedFunc {
    std::string object, name;
    std::vector<TracedParam> params;
    std::vector<ShownValue> shown = {};
};

// The place of a call.
struct TracedSite {
    std::string symbol;   // and distance: "tcp_rcv+0x12"
    const char *kind;     // "inlined", "body"
    bool unwinds = true;  // stacks from there are right

    bool is_body() const { return std::string_view(kind) == "body"; }
};

class TraceText {
  public:
    // The functions are in the order of their cookies.
    explicit TraceText(std::vector<TracedFunc> funcs) : funcs_(std::move(funcs)) {}

    void add_site(uint32_t func, uint64_t ip, TracedSite site) {
        sites_[{func, ip}] = std::move(site);
    }

    // Prints its stack after each call from now on.
    void show_stacks(CallStackText stacks) { stacks_ = std::move(stacks); }

    const TracedFunc &func(uint32_t number) const { return funcs_[number]; }
    // A place without symbol and of kind "?": it is not known.
    const TracedSite &site(uint32_t func, uint64_t ip) const;

    // Appends a line each. Returns false and appends nothing if it is not an event of these
    // functions.
    //   12345.678901 [003] sshd-1234 foo host+0x12 inlined skb=0xffff888004d7a000 len=5 flags=?
    // The values of --show come after the arguments, "skb->len=60".
    bool append_text(std::string &out, std::span<const std::byte> event) const;
    bool append_json(std::string &out, std::span<const std::byte> event) const;

  private:
    CallStack stack_of(const trace_event &event, CallStack stack) const;

    std::vector<TracedFunc> funcs_;
    std::map<std::pair<uint32_t, uint64_t>, TracedSite> sites_;
    std::optional<CallStackText> stacks_;
};

}  // namespace btf_extra

#endif
