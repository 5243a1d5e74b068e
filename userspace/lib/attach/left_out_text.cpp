// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/left_out_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <vector>

#include <fmt/format.h>

namespace btf_extra {
namespace {

// The number of functions that are named for one kind of sites.
constexpr size_t kMaxNames = 2;

bool is_freed(const btf_extra_left_out &left_out) {
    return (left_out.site.flags & BTF_EXTRA_SITE_FREED) != 0;
}

// The reasons of the kernel that follow from the code around a site.
bool is_about_code(const btf_extra_left_out &left_out) {
    return left_out.reason == BTF_EXTRA_REASON_NOTRACE ||
           left_out.reason == BTF_EXTRA_REASON_KPROBE;
}

bool is_closed(const btf_extra_left_out &left_out) {
    return is_about_code(left_out) && (left_out.site.flags & BTF_EXTRA_SITE_CLOSED) != 0;
}

// Returns "skb, len".
std::string missing_params(const DescribedFunc &func, const btf_extra_left_out &left_out) {
    std::string out;
    for (size_t i = 0; i < std::min<size_t>(func.params.size(), 64); i++)
        if ((left_out.parameters >> i & 1) != 0)
            out += (out.empty() ? "" : ", ") + param_name(func, i);
    return out;
}

// Returns the words after "1" and after "2".
std::pair<std::string, std::string> counted(const DescribedFunc &func,
                                            const btf_extra_left_out &left_out) {
    const auto both = [](std::string text) { return std::pair(text, text); };
    if (is_freed(left_out))
        return both("in freed text");
    if (is_closed(left_out))
        return both("in closed code");
    switch (left_out.reason) {
    case BTF_EXTRA_REASON_LOOP_HEAD:
        return {"at a loop head", "at loop heads"};
    case BTF_EXTRA_REASON_NO_ENTRY:
        return both("without a known entry");
    case BTF_EXTRA_REASON_PARAMETER:
        return both("without a location of " + missing_params(func, left_out));
    case BTF_EXTRA_REASON_NOTRACE:
        return {"in a notrace function", "in notrace functions"};
    case BTF_EXTRA_REASON_KPROBE:
        return {"that takes no kprobe", "that take no kprobe"};
    default:
        return both("without a known address");
    }
}

// Returns the text about one site, after its place.
std::string clause(const DescribedFunc &func, const btf_extra_left_out &left_out) {
    if (is_freed(left_out))
        return "is in freed text";
    switch (left_out.reason) {
    case BTF_EXTRA_REASON_LOOP_HEAD:
        return "is the head of a loop";
    case BTF_EXTRA_REASON_NO_ENTRY:
        return "has no known entry";
    case BTF_EXTRA_REASON_PARAMETER:
        return "has no location of " + missing_params(func, left_out);
    case BTF_EXTRA_REASON_NOTRACE:
        return "is in a notrace function";
    case BTF_EXTRA_REASON_KPROBE:
        return fmt::format("takes no kprobe: {}", std::strerror(-left_out.error));
    default:
        return "has no known address";
    }
}

// Returns "trace_event_raw_event_sched_switch, ...", the functions around sites, in order.
std::string names_of(const SiteTables &tables, std::span<const btf_extra_site> sites) {
    std::vector<std::string> names;
    if (tables.symbols() == nullptr)
        return "";
    for (const btf_extra_site &site : sites)
        if (const auto found = tables.symbols()->around({0, site.address});
            found && std::ranges::count(names, found->symbol) == 0)
            names.emplace_back(found->symbol);
    std::string out;
    for (size_t i = 0; i < std::min(names.size(), kMaxNames); i++)
        out += (out.empty() ? "" : ", ") + names[i];
    return names.size() > kMaxNames ? out + ", ..." : out;
}

std::string counts_of(const SiteTables &tables, const DescribedFunc &func,
                      std::span<const btf_extra_left_out> left_out, bool with_freed) {
    std::map<std::pair<std::string, std::string>, std::vector<btf_extra_site>> kinds;
    std::map<std::pair<std::string, std::string>, bool> named;
    for (const btf_extra_left_out &each : left_out) {
        if (is_freed(each) && !with_freed)
            continue;
        const auto kind = counted(func, each);
        kinds[kind].push_back(each.site);
        named[kind] = is_about_code(each);
    }
    std::string out;
    for (const auto &[kind, sites] : kinds) {
        out += fmt::format("{}{} {}", out.empty() ? "" : "; ", sites.size(),
                           sites.size() == 1 ? kind.first : kind.second);
        if (const std::string names = named[kind] ? names_of(tables, sites) : ""; !names.empty())
            out += " (" + names + ")";
    }
    return out;
}

}  // namespace

std::string param_name(const DescribedFunc &func, size_t param) {
    const std::string &name = func.params[param];
    return name.empty() ? fmt::format("arg{}", param) : name;
}

std::string site_place(const SiteTables &tables, const btf_extra_site &site) {
    if (site.address == 0)
        return "one";
    const auto text =
        tables.symbols() != nullptr ? tables.symbols()->text({0, site.address}) : std::nullopt;
    return text.value_or(fmt::format("{:#x}", site.address));
}

std::string left_out_counts(const SiteTables &tables, const DescribedFunc &func,
                            std::span<const btf_extra_left_out> left_out) {
    return counts_of(tables, func, left_out, false);
}

size_t sites_with_text(const AttachOutcome &outcome) {
    return outcome.wanted - static_cast<size_t>(std::ranges::count_if(outcome.left_out, is_freed));
}

Error left_out_error(const SiteTables &tables, const DescribedFunc &func,
                     const AttachOutcome &outcome, uint32_t flags) {
    if (outcome.left_out.empty())
        return Error{fmt::format("{}: no such site", func.name), ENOENT};
    const btf_extra_left_out *first = first_required(outcome.left_out, flags);
    if (first == nullptr)
        return Error{fmt::format("{}: no site can be traced: {}", func.name,
                                 counts_of(tables, func, outcome.left_out, true)),
                     EOPNOTSUPP};
    const auto lacking = std::ranges::count_if(outcome.left_out, [&](const auto &each) {
        return first_required({&each, 1}, flags);
    });
    return Error{fmt::format("{}: {} of {} sites cannot be traced: {} {}", func.name, lacking,
                             sites_with_text(outcome), site_place(tables, first->site),
                             clause(func, *first)),
                 EOPNOTSUPP};
}

}  // namespace btf_extra
