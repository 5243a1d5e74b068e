// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The table of `btf-extra trace --summary`: calls by site, by caller or by a value.
#ifndef BTF_EXTRA_TRACE_SUMMARY_H
#define BTF_EXTRA_TRACE_SUMMARY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "userspace/trace/trace_plan.h"
#include "userspace/trace/trace_text.h"

namespace btf_extra {

class TraceSummary {
  public:
    explicit TraceSummary(const TraceQuery &query) : query_(query) {}

    // Sites with the same text are one row.
    void add_site(const TracedFunc &func, const TracedSite &site, uint64_t calls);
    // caller: "" is one that is not known.
    void add_caller(const TracedFunc &func, const std::string &caller, uint64_t calls);
    // words: NULL is a missing value.
    void add_value(const TracedFunc &func, const uint64_t *words, uint64_t calls);

    // Returns the rows, the most frequent first: as a table of at most that many, or all of them,
    // one JSON object per line. others: calls that are in no row.
    std::string table(size_t max_rows, uint64_t others) const;
    std::string json(uint64_t others) const;

  private:
    struct Row {
        std::string json;
        uint64_t calls = 0;
    };
    using Key = std::pair<std::string, std::string>;  // function and text
    void add(const TracedFunc &func, std::string text, std::string json, uint64_t calls);
    std::string by() const;
    std::vector<const std::pair<const Key, Row> *> sorted() const;

    const TraceQuery &query_;
    std::map<Key, Row> rows_;
};

}  // namespace btf_extra

#endif
