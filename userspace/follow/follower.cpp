// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/follow/follower.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "userspace/lib/attach/left_out_text.h"

namespace btf_extra {
namespace {

bool has_inlined_call(const DescribedFunc &func) {
    return !wanted_sites(func.found, BTF_EXTRA_INLINE_ONLY).empty();
}

// Returns true if a patched kernel runs the programs that are attached at inlined calls itself.
bool kernel_completes() {
    std::string mode;
    std::ifstream("/sys/module/btf_extra/parameters/complete") >> mode;
    return !mode.empty() && mode != "off";
}

// Why the module refuses a program whose function has inlined calls.
std::string refusal(const Error &error) {
    switch (error.code) {
    case EINVAL:
        return "it may sleep, or its arguments are not those of the tables";
    case EEXIST:
        return "another process follows it";
    default:
        return error.message;
    }
}

// The cause if an attach at all sites fails.
std::string lacking(const SiteTables &tables, const DescribedFunc &func,
                    const AttachOutcome &outcome) {
    const size_t left_out = outcome.left_out.size();
    std::string out = left_out_counts(tables, func, outcome.left_out);
    if (out.empty())
        out = "its text is freed";
    if (left_out < outcome.wanted)
        out += fmt::format("; --best-effort follows the other {}", outcome.wanted - left_out);
    return out;
}

}  // namespace

Result<void> Follower::choose() {
    const std::vector<SharedObject> objects = *TRY(tables_.objects());
    if (objects == objects_)
        return {};
    chosen_.clear();
    for (const FuncText &text : funcs_) {
        const auto visited = tables_.visit(text, [&](const FoundFunc &func) {
            chosen_.insert({func.object->id, func.id});
        });
        // The module is not loaded.
        if (!visited && visited.error().code != ENOENT)
            return visited.error();
    }
    objects_ = objects;
    return {};
}

Result<std::vector<DescribedFunc>> Follower::functions_of(const std::string &text) {
    if (!funcs_.empty())
        TRY(choose());
    const auto parsed = TRY(parse_func_text(text));
    auto found = TRY(tables_.find(parsed));
    std::vector<DescribedFunc> out;
    for (FoundFunc &func : found)
        if (funcs_.empty() || chosen_.contains({func.object->id, func.id}))
            out.emplace_back(std::move(func));
    return out;
}

// A link without inlined calls of its function is not reported.
Result<Follower::Seen> Follower::follow(FollowEvent event, const LinkTarget &target, int fd,
                                        uint32_t flags, uint64_t cookie) {
    Seen out = {nullptr, std::move(event), true};
    const auto text = target_text(tables_, target);
    if (!text)  // there are no tables of the module
        return out;
    const auto funcs = TRY(functions_of(*text));
    const auto inlined = std::ranges::find_if(funcs, has_inlined_call);
    if (inlined == funcs.end())
        return out;
    out.reported = false;
    out.event.object = target.object;
    out.event.function = inlined->name;
    if (out.event.program != AttachedLink::Kind::kFentry) {
        out.event.reason = "an inlined call has no end where a program can run";
        return out;
    }
    std::vector<const DescribedFunc *> choice;
    std::ranges::transform(funcs, std::back_inserter(choice),
                           [](const auto &func) { return &func; });
    btf_extra_attach_opts opts = {};
    opts.flags = BTF_EXTRA_INLINE_ONLY | (best_effort_ ? BTF_EXTRA_BEST_EFFORT : 0) | flags;
    opts.cookie = cookie;
    auto own = attach_to_own(tables_, *text, choice, fd, opts);
    if (!own) {
        const int code = own.error().code;
        out.reported = code == ENOENT || (code == EEXIST && kernel_completes());
        out.event.reason = refusal(own.error());
        return out;
    }
    const AttachOutcome &outcome = own->outcome;
    out.event.attached = outcome.attached;
    out.event.sites = sites_with_text(outcome);
    out.kloc = std::move(own->outcome.kloc);
    if (out.kloc) {
        out.event.kind = FollowEvent::Kind::kFollowed;
        out.event.reason = left_out_counts(tables_, *own->func, outcome.left_out);
    } else {
        out.event.reason = lacking(tables_, *own->func, outcome);
    }
    return out;
}

void Follower::report_end(Seen &seen) {
    if (!seen.reported)
        report_(seen.event);
    seen.reported = true;
    if (!seen.kloc)
        return;
    FollowEvent event = seen.event;
    event.kind = FollowEvent::Kind::kEnded;
    event.reason.clear();
    if (const auto counts = seen.kloc->counts())
        event.counts = *counts;
    seen.kloc.reset();
    report_(event);
}

Result<void> Follower::look_at(uint32_t id) {
    const auto link = attached_link(id);
    // It is there at the next scan.
    if (!link && link.error().code == EAGAIN)
        return {};
    if (!link)
        return link.error();
    Seen seen = {nullptr, {}, true};
    if (const auto &found = *link) {
        FollowEvent event = {};
        event.kind = FollowEvent::Kind::kNotFollowed;
        event.program = found->kind;
        event.prog_id = found->prog_id;
        if (auto coming = coming_.extract(found->prog_id))
            seen = std::move(coming.mapped());
        else
            seen = TRY(follow(event, found->target, found->fd.get(), BTF_EXTRA_LINK, 0));
        seen.event.link_id = id;
    }
    seen_.emplace(id, std::move(seen));
    return {};
}

void Follower::follow_coming(const ComingAttach &coming) {
    FollowEvent event = {};
    event.kind = FollowEvent::Kind::kNotFollowed;
    event.program = AttachedLink::Kind::kFentry;  // if it is not, the kernel refuses it
    event.prog_id = coming.prog_id;
    event.owner = coming.owner;
    auto seen = follow(event, coming.target, coming.program.get(), 0, coming.cookie);
    if (seen && seen->kloc)
        coming_.insert_or_assign(coming.prog_id, std::move(*seen));
}

void Follower::forget_coming() {
    for (auto &[id, seen] : coming_)
        if (const auto counts = seen.kloc->counts(); counts && counts->hits + counts->missed != 0)
            report_end(seen);
    coming_.clear();
}

Result<void> Follower::scan() {
    const std::vector<uint32_t> ids = TRY(link_ids());
    for (auto it = seen_.begin(); it != seen_.end();) {
        if (std::ranges::binary_search(ids, it->first)) {
            ++it;
            continue;
        }
        report_end(it->second);
        it = seen_.erase(it);
    }
    for (const uint32_t id : ids)
        if (!seen_.contains(id))
            TRY(look_at(id));
    return {};
}

void Follower::report_new() {
    std::set<uint32_t> unreported;
    for (const auto &[id, seen] : seen_)
        if (!seen.reported)
            unreported.insert(id);
    if (unreported.empty())
        return;
    const auto owners = link_owners(unreported);
    for (const uint32_t id : unreported) {
        Seen &seen = seen_.at(id);
        if (const auto owner = owners.find(id); owner != owners.end())
            seen.event.owner = owner->second;
        seen.reported = true;
        report_(seen.event);
    }
}

void Follower::end() {
    for (auto &[id, seen] : seen_)
        report_end(seen);
    seen_.clear();
    forget_coming();
}

}  // namespace btf_extra
