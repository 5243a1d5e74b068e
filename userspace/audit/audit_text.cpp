// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/audit_text.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace btf_extra::audit {
namespace {

std::string line_of(const std::vector<std::string> &cells, const std::vector<size_t> &widths) {
    std::string out;
    for (size_t i = 0; i < cells.size(); i++)
        out += fmt::format("{}{:<{}}", i == 0 ? "" : "  ", cells[i], widths[i]);
    out.resize(out.find_last_not_of(' ') + 1);
    return out + "\n";
}

std::string table(const Audit &audit) {
    std::vector<std::vector<std::string>> lines = {{""}};
    lines[0].insert(lines[0].end(), audit.kernels.begin(), audit.kernels.end());
    for (const Audit::Row &row : audit.rows) {
        lines.push_back({row.point.text()});
        for (const Finding &finding : row.findings)
            lines.back().push_back(finding.text());
    }
    std::vector<size_t> widths(lines[0].size());
    for (const auto &line : lines)
        for (size_t i = 0; i < line.size(); i++)
            widths[i] = std::max(widths[i], line[i].size());
    std::string out;
    for (const auto &line : lines)
        out += line_of(line, widths);
    return out;
}

// A finding that several kernels have is printed once.
struct Detail {
    Verdict verdict;
    std::string what;  // "kprobe:foo: misses 3 of 5"
    std::vector<std::string> kernels;
    std::vector<std::string> lines;
    std::string origin;
};

void add_details(const Audit &audit, const Audit::Row &row, std::vector<Detail> &details) {
    const size_t first = details.size();
    for (size_t k = 0; k < row.findings.size(); k++) {
        const Finding &finding = row.findings[k];
        if (finding.verdict == Verdict::kWhole && finding.lines.empty())
            continue;
        Detail detail = {finding.verdict,
                         fmt::format("{}: {}", row.point.text(), finding.text()),
                         {audit.kernels[k]},
                         finding.lines,
                         row.point.origin};
        const auto same =
            std::find_if(details.begin() + static_cast<std::ptrdiff_t>(first), details.end(),
                         [&](const Detail &each) {
                             return each.what == detail.what && each.lines == detail.lines;
                         });
        if (same == details.end())
            details.push_back(std::move(detail));
        else
            same->kernels.push_back(audit.kernels[k]);
    }
}

}  // namespace

std::string audit_text(const Audit &audit) {
    std::vector<Detail> details;
    for (const Audit::Row &row : audit.rows)
        add_details(audit, row, details);
    std::ranges::stable_sort(details, {}, &Detail::verdict);
    std::string out = table(audit);
    for (const Detail &detail : details) {
        out += fmt::format("\n{}", detail.what);
        if (audit.kernels.size() > 1)
            out += fmt::format(" on {}", fmt::join(detail.kernels, ", "));
        if (!detail.origin.empty())
            out += fmt::format(" ({})", detail.origin);
        out += "\n";
        for (const std::string &line : detail.lines)
            out += fmt::format("    {}\n", line);
    }
    return out;
}

ordered_json audit_json(const Audit &audit) {
    ordered_json targets = ordered_json::array();
    for (const Audit::Row &row : audit.rows) {
        ordered_json findings = ordered_json::array();
        for (size_t k = 0; k < row.findings.size(); k++) {
            const Finding &finding = row.findings[k];
            findings.push_back(
                {{"kernel", audit.kernels[k]},
                 {"verdict", verdict_name(finding.verdict)},
                 {"calls", finding.calls},
                 {"missed", finding.missed},
                 {"attaches", or_null(finding.attaches)},
                 {"error", finding.error == 0 ? ordered_json(nullptr)
                                              : ordered_json(error_name(finding.error))},
                 {"address", finding.address == 0
                                 ? ordered_json(nullptr)
                                 : ordered_json(fmt::format("{:#x}", finding.address))},
                 {"prototype", finding.prototype.empty() ? ordered_json(nullptr)
                                                         : ordered_json(finding.prototype)},
                 {"details", finding.lines}});
        }
        targets.push_back({{"target", row.point.text()},
                           {"kind", kind_name(row.point.kind)},
                           {"origin", row.point.origin.empty() ? ordered_json(nullptr)
                                                               : ordered_json(row.point.origin)},
                           {"completed", row.point.completed},
                           {"findings", std::move(findings)}});
    }
    return {{"kernels", audit.kernels}, {"targets", std::move(targets)}};
}

}  // namespace btf_extra::audit
