// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/trace_summary.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace btf_extra {
namespace {

std::string quoted(const std::string &text) {
    return nlohmann::json(text).dump();
}

}  // namespace

void TraceSummary::add(const TracedFunc &func, std::string text, std::string json, uint64_t calls) {
    if (calls == 0)
        return;
    Row &row = rows_[{func.name, std::move(text)}];
    row.json = std::move(json);
    row.calls += calls;
}

void TraceSummary::add_site(const TracedFunc &func, const TracedSite &site, uint64_t calls) {
    add(func, fmt::format("{} {}", site.symbol, site.kind), quoted(site.symbol), calls);
}

void TraceSummary::add_caller(const TracedFunc &func, const std::string &caller, uint64_t calls) {
    if (caller.empty())
        add(func, "?", "null", calls);
    else
        add(func, caller, quoted(caller), calls);
}

void TraceSummary::add_value(const TracedFunc &func, const uint64_t *words, uint64_t calls) {
    std::string text, json;
    if (words != nullptr) {
        func.shown.front().append_text(text, words);
        func.shown.front().append_json(json, words);
    }
    add(func, words != nullptr ? text : "?", words != nullptr ? json : "null", calls);
}

std::string TraceSummary::by() const {
    switch (query_.summary) {
    case TRACE_BY_SITE:
        return "site";
    case TRACE_BY_CALLER:
        return "caller";
    default:
        return query_.shown.front().text;
    }
}

std::vector<const std::pair<const TraceSummary::Key, TraceSummary::Row> *>
TraceSummary::sorted() const {
    std::vector<const std::pair<const Key, Row> *> out;
    for (const auto &each : rows_)
        out.push_back(&each);
    std::ranges::stable_sort(out, std::ranges::greater(),
                             [](const auto *each) { return each->second.calls; });
    return out;
}

std::string TraceSummary::table(size_t max_rows, uint64_t others) const {
    const auto rows = sorted();
    const std::string_view title = "function";
    size_t width = title.size();
    for (const auto *each : rows)
        width = std::max(width, each->first.first.size());
    std::string out = fmt::format("{:>12}  {:{}}  {}\n", "calls", title, width, by());
    uint64_t left = others;
    for (size_t i = 0; i < rows.size(); i++) {
        const auto &[key, row] = *rows[i];
        if (i < max_rows)
            fmt::format_to(std::back_inserter(out), "{:>12}  {:{}}  {}\n", row.calls, key.first,
                           width, key.second);
        else
            left += row.calls;
    }
    if (left != 0)
        fmt::format_to(std::back_inserter(out), "{:>12}  others\n", left);
    return out;
}

std::string TraceSummary::json(uint64_t others) const {
    std::string out;
    auto to = std::back_inserter(out);
    for (const auto *each : sorted())
        fmt::format_to(to, "{{\"function\":\"{}\",\"by\":{},\"value\":{},\"calls\":{}}}\n",
                       each->first.first, quoted(by()), each->second.json, each->second.calls);
    if (others != 0)
        fmt::format_to(to, "{{\"others\":{}}}\n", others);
    return out;
}

}  // namespace btf_extra
