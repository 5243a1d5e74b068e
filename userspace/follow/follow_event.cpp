// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/follow/follow_event.h"

#include <fmt/format.h>

#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

const char *text(FollowEvent::Kind kind) {
    switch (kind) {
    case FollowEvent::Kind::kFollowed:
        return "followed";
    case FollowEvent::Kind::kNotFollowed:
        return "not followed";
    default:
        return "ended";
    }
}

std::string owner_text(const FollowEvent &event) {
    return event.owner ? fmt::format("{}[{}]", event.owner->command, event.owner->pid)
                       : fmt::format("BPF link {}", event.link_id);
}

std::string counts_text(const FollowEvent &event) {
    if (!event.counts)
        return "the number of inlined calls is not known";
    return fmt::format("{} inlined call{}, {} missed", event.counts->hits,
                       event.counts->hits == 1 ? "" : "s", event.counts->missed);
}

}  // namespace

std::string event_text(const FollowEvent &event) {
    const std::string owner = owner_text(event);
    if (event.kind == FollowEvent::Kind::kEnded)
        return fmt::format("{}: {} of {} has ended: {}", event.function, text(event.program), owner,
                           counts_text(event));
    const std::string who = fmt::format("{}: {} of {}", event.function, text(event.program), owner);
    if (event.kind == FollowEvent::Kind::kNotFollowed)
        return fmt::format("{}: not followed: {}", who, event.reason);
    return fmt::format("{}: {} of {} inlined calls as well{}{}", who, event.attached, event.sites,
                       event.reason.empty() ? "" : "; ", event.reason);
}

std::string event_json(const FollowEvent &event) {
    using Text = std::optional<std::string>;
    using Number = std::optional<uint64_t>;
    const bool followed = event.kind == FollowEvent::Kind::kFollowed;
    const auto &owner = event.owner;
    const auto &counts = event.counts;
    const ordered_json object = {
        {"event", text(event.kind)},
        {"object", event.object},
        {"function", event.function},
        {"program", text(event.program)},
        {"link_id", or_null(event.link_id != 0 ? Number(event.link_id) : std::nullopt)},
        {"prog_id", event.prog_id},
        {"pid", or_null(owner ? Number(owner->pid) : std::nullopt)},
        {"command", or_null(owner ? Text(owner->command) : std::nullopt)},
        {"attached", or_null(followed ? Number(event.attached) : std::nullopt)},
        {"sites", or_null(followed ? Number(event.sites) : std::nullopt)},
        {"reason", or_null(event.reason.empty() ? std::nullopt : Text(event.reason))},
        {"calls", or_null(counts ? Number(counts->hits) : std::nullopt)},
        {"missed", or_null(counts ? Number(counts->missed) : std::nullopt)},
    };
    return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace btf_extra
