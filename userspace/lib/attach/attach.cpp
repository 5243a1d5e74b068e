// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <cerrno>

#include <fmt/format.h>

#include "userspace/lib/attach/kloc.h"

namespace btf_extra {
namespace {

constexpr uint32_t kKnownFlags = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY |
                                 BTF_EXTRA_BEST_EFFORT | BTF_EXTRA_INEXACT | BTF_EXTRA_NOTRACE |
                                 BTF_EXTRA_LINK | BTF_EXTRA_ALL;

Result<AttachOutcome> attach_checked(const SiteTables &tables, const DescribedFunc &func,
                                     int prog_fd, const btf_extra_attach_opts &opts) {
    if ((opts.flags & ~kKnownFlags) != 0)
        return Error{fmt::format("opts: unknown flags {:#x}", opts.flags & ~kKnownFlags), EINVAL};
    if ((opts.flags & BTF_EXTRA_INLINE_ONLY) != 0 && (opts.flags & BTF_EXTRA_BODY_ONLY) != 0)
        return Error{"opts: BTF_EXTRA_INLINE_ONLY and BTF_EXTRA_BODY_ONLY exclude each other",
                     EINVAL};
    if ((opts.flags & BTF_EXTRA_LINK) != 0 &&
        ((opts.flags & BTF_EXTRA_INLINE_ONLY) == 0 || opts.cookie != 0))
        return Error{"opts: BTF_EXTRA_LINK goes with BTF_EXTRA_INLINE_ONLY, and without a cookie",
                     EINVAL};
    if (func.params.size() < 64 && opts.required >> func.params.size() != 0)
        return Error{
            fmt::format("has {} parameters, but opts.required names others", func.params.size()),
            EINVAL};
    if (!tables.running())
        return Error{"the tables are of another kernel", ESTALE};
    const size_t sites = wanted_sites(func.found, opts.flags).size();
    if (sites == 0)
        return Error{"no such site", ENOENT};
    if (opts.max_sites != 0 && sites > opts.max_sites)
        return Error{fmt::format("{} sites, more than {}", sites, opts.max_sites), E2BIG};
    const AttachRequest request = {prog_fd, opts.flags, opts.required, opts.cookie};
    const bool by_module = tables.source() == SiteTables::Source::kModule && !opts.no_module;
    if (!by_module && (opts.flags & BTF_EXTRA_LINK) != 0)
        return Error{"only the module runs the program of a BPF link", EOPNOTSUPP};
    auto out = by_module ? attach_by_module(func.found, request)
                         : attach_by_perf(tables, func.found, request);
    if (out)
        out->wanted = sites;
    return out;
}

}  // namespace

Result<AttachOutcome> attach(const SiteTables &tables, const DescribedFunc &func, int prog_fd,
                             const btf_extra_attach_opts &opts) {
    auto out = attach_checked(tables, func, prog_fd, opts);
    if (!out)
        return Error{func.text() + ": " + out.error().message, out.error().code};
    return out;
}

const btf_extra_left_out *first_required(std::span<const btf_extra_left_out> left_out,
                                         uint32_t flags) {
    if ((flags & BTF_EXTRA_BEST_EFFORT) != 0)
        return nullptr;
    const uint32_t optional =
        BTF_EXTRA_SITE_FREED | ((flags & BTF_EXTRA_ALL) == 0 ? BTF_EXTRA_SITE_CLOSED : 0);
    for (const btf_extra_left_out &each : left_out)
        if ((each.site.flags & optional) == 0)
            return &each;
    return nullptr;
}

std::vector<btf_extra_site> wanted_sites(const FoundFunc &func, uint32_t flags) {
    std::vector<btf_extra_site> out;
    const bool any = (flags & (BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY)) == 0;
    for (const btf_extra_site &site : func.sites) {
        const uint32_t bit =
            site.site_class == BTF_EXTRA_CLASS_INLINE ? BTF_EXTRA_INLINE_ONLY : BTF_EXTRA_BODY_ONLY;
        if ((any || (flags & bit) != 0) && (site.flags & BTF_EXTRA_SITE_PART) == 0)
            out.push_back(site);
    }
    return out;
}

}  // namespace btf_extra
