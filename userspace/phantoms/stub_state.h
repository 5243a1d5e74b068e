// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The state of a stub and of its sites. The module tells it in /sys/kernel/btf_extra/inlined/NAME;
// without it the tables tell what they know.
#ifndef BTF_EXTRA_STUB_STATE_H
#define BTF_EXTRA_STUB_STATE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra::phantoms {

struct LeftOutSites {
    uint32_t reason;  // BTF_EXTRA_REASON_*
    uint64_t sites;
    uint64_t parameters;  // bit n: parameter n has no location at some of them
};

struct StubState {
    std::string state;  // "idle", "armed", "held", "waiting"; empty: by the tables
    uint64_t sites = 0, usable = 0, armed = 0, hits = 0, missed = 0;
    int error = 0;  // why it could not be armed: an errno
    std::vector<LeftOutSites> left_out = {};

    void leave_out(uint32_t reason, uint64_t parameters = 0);
};

// place is for messages.
Result<StubState> parse_stub_state(const std::string &place, std::string_view text);

// "3 sites: the head of a loop: ...: skb, len". params: names of the parameters.
std::string left_out_text(const LeftOutSites &left_out, const std::vector<std::string> &params);
// "loop_head"
std::string_view reason_key(uint32_t reason);

}  // namespace btf_extra::phantoms

#endif
