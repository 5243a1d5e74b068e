// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/renamed_func.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace btf_extra::audit {
namespace {

constexpr size_t kMany = 4;

// Returns the nearest of the kernels before this one that has the function, or else of those after.
std::optional<size_t> nearest_with(const std::vector<Finding> &findings, size_t kernel) {
    for (size_t i = kernel; i-- > 0;)
        if (findings[i].identity)
            return i;
    for (size_t i = kernel + 1; i < findings.size(); i++)
        if (findings[i].identity)
            return i;
    return {};
}

// A function that one kernel has and another lacks.
struct Lacked {
    Finding *finding;
    size_t has, lacks;  // numbers of kernels
    FuncIdentity identity;
};

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

}  // namespace

// Fills in the names of the functions that a kernel has.
Result<void> RenamedFuncs::find_names(const AuditedKernel &kernel, NamesByIdentity &wanted) {
    std::set<std::string_view> files;
    for (const auto &[identity, names] : wanted)
        files.insert(identity.file);
    const auto *objects = TRY(kernel.tables().objects());
    for (const SharedObject &object : *objects) {
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

Result<void> RenamedFuncs::look_at(const Audit &audit, const AuditedKernel &kernel) {
    const size_t number = names_.size();
    NamesByIdentity &wanted = names_.emplace_back();
    for (const Audit::Row &row : audit.rows) {
        const Finding &finding = row.findings[number];
        if (finding.identity)
            wanted[*finding.identity];
        else if (const auto has = nearest_with(row.findings, number);
                 has && finding.verdict == Verdict::kMissing)
            wanted[*row.findings[*has].identity];
    }
    return find_names(kernel, wanted);
}

Result<void> RenamedFuncs::add_lines(Audit &audit, const std::vector<std::string> &kernels) {
    const std::vector<Lacked> lacked = lacked_funcs(audit);
    std::map<size_t, NamesByIdentity> later;
    for (const Lacked &each : lacked)
        if (!names_[each.lacks].contains(each.identity))
            later[each.lacks][each.identity];
    for (auto &[number, wanted] : later) {
        const auto kernel = TRY(AuditedKernel::open(kernels[number]));
        TRY(find_names(*kernel, wanted));
        names_[number].merge(wanted);
    }
    for (const Lacked &each : lacked) {
        const Names &there = names_[each.has][each.identity];
        const Names &here = names_[each.lacks][each.identity];
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
