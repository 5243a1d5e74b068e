// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// An event of `btf-extra follow`: the program of a BPF link is followed, is not, or its link ended.
#ifndef BTF_EXTRA_FOLLOW_EVENT_H
#define BTF_EXTRA_FOLLOW_EVENT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "userspace/lib/attach/attached_link.h"
#include "userspace/lib/btf_extra.h"

namespace btf_extra {

struct FollowEvent {
    enum class Kind {
        kFollowed,     // the program runs at inlined calls, too
        kNotFollowed,  // some inlined calls cannot be followed, or none
        kEnded,        // the link has ended; it was followed
    };

    Kind kind;
    std::string object, function;
    AttachedLink::Kind program;
    uint32_t link_id = 0, prog_id = 0;  // link_id 0: it ended before it was seen
    std::optional<LinkOwner> owner;
    size_t attached = 0, sites = 0;  // inlined calls whose text has not been freed
    // kFollowed: which inlined calls are left out; "": none. kNotFollowed: the cause.
    std::string reason;
    std::optional<btf_extra_counts> counts;  // kEnded
};

// Returns one line, without its end.
std::string event_text(const FollowEvent &event);
// Returns a JSON object in one line, without its end.
std::string event_json(const FollowEvent &event);

}  // namespace btf_extra

#endif
