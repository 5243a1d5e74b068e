// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/renamed_func.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace btf_extra::audit {
namespace {

constexpr size_t kMany = 4;

using Names = std::set<std::string>;
using NamesByIdentity = std::map<FuncIdentity, Names>;

// A function that one kernel has and another lacks.
struct Lacked {
    Finding *finding;
    size_t has, lacks;  // numbers of kernels
    FuncIdentity identity;
};

// Returns the nearest kernel that has the function, rather an earlier one.
std::optional<size_t> nearest_with(const std::vector<Finding> &findings, size_t kernel) {
    std::optional<size_t> out;
    const auto distance = [&](size_t other) {
        return other < kernel ? 2 * (kernel - other) : 2 * (other - kernel) + 1;
    };
    for (size_t i = 0; i < findings.size(); i++)
        if (findings[i].identity && (!out || distance(i) < distance(*out)))
            out = i;
    return out;
}

std::vector<Lacked> lacked_funcs(Audit &audit) {
    std::vector<Lacked> out;
    for (Audit::Row &row : audit.rows)
        for (size_t k = 0; k < row.findings.size(); k++) {
            if (row.findings[k].verdict != Verdict::kMissing)
                continue;
            if (const auto has = nearest_with(row.findings, k))
                out.push_back({&row.findings[k], *has, k, *row.findings[*has].identity});
        }
    return out;
}

// Fills in the names of the functions that a kernel has.
Result<void> find_names(const std::string &kernel, NamesByIdentity &wanted) {
    std::set<std::string> files;
    for (const auto &[identity, names] : wanted)
        files.insert(identity.file);
    const auto opened = TRY(AuditedKernel::open(kernel));
    for (const SharedObject &object : *TRY(opened->tables().objects())) {
        const ObjectView &view = *object->view;
        for (uint32_t i = 0; i < view.index().nr_funcs; i++) {
            const uint32_t id = view.index().funcs[i];
            const auto file = view.func_file(id);
            if (!file || !files.contains(*file))
                continue;
            const auto identity = identity_of(view, id);
            const auto found = identity ? wanted.find(*identity) : wanted.end();
            if (found != wanted.end())
                found->second.emplace(view.func_name(id));
        }
    }
    return {};
}

}  // namespace

Result<void> name_renamed_funcs(Audit &audit, const std::vector<std::string> &kernels) {
    const std::vector<Lacked> lacked = lacked_funcs(audit);
    std::map<size_t, NamesByIdentity> wanted;
    for (const Lacked &each : lacked)
        wanted[each.has][each.identity] = wanted[each.lacks][each.identity] = {};
    for (auto &[kernel, names] : wanted)
        TRY(find_names(kernels[kernel], names));
    for (const Lacked &each : lacked) {
        const Names &there = wanted[each.has][each.identity];
        const Names &here = wanted[each.lacks][each.identity];
        std::vector<std::string> only;
        std::ranges::set_difference(here, there, std::back_inserter(only));
        if (!only.empty() && only.size() < kMany)
            each.finding->lines.push_back(
                fmt::format("perhaps renamed: {} (of the same types, in {}, not on {})",
                            fmt::join(only, ", "), each.identity.file, audit.kernels[each.has]));
    }
    return {};
}

}  // namespace btf_extra::audit
