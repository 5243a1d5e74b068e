// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The plan of what the BPF program of `btf-extra trace` does at a call of a function: which values
// it reads, and which calls it drops. It is worked out from BTF.
#ifndef BTF_EXTRA_TRACE_PLAN_H
#define BTF_EXTRA_TRACE_PLAN_H

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "userspace/bpf/trace_event.h"
#include "userspace/format/result.h"
#include "userspace/text/value_text.h"
#include "userspace/trace/member_path.h"
#include "userspace/trace/trace_expression.h"

namespace btf_extra {

// The user's options, for each function.
struct TraceQuery {
    std::vector<FilterStep> filter;  // empty: none
    std::vector<Operand> shown;      // of BY_VALUE: the value
    trace_summary summary = TRACE_EACH_CALL;

    // summary: "site", "caller", or a path; each text may be empty.
    static Result<TraceQuery> parse(const std::string &filter, const std::string &show,
                                    const std::string &summary);
};

// How a value of --show or --summary is written.
struct ShownValue {
    std::string text;                   // what the user wrote
    std::optional<ValueFormat> format;  // none: it is a text

    // words: TRACE_VALUE_WORDS of them.
    void append_text(std::string &out, const uint64_t *words) const;
    void append_json(std::string &out, const uint64_t *words) const;
};

struct TracePlan {
    trace_plan plan;
    std::vector<ShownValue> shown;
};

// Returns the variable of the kernel of that name; object is empty if none was written.
using FindVariable =
    std::function<Result<TypedVariable>(const std::string &object, const std::string &name)>;

// Makes the plan of a function of the blob, whose parameters have these names.
Result<TracePlan> make_plan(const btf_blob &blob, uint32_t func_id,
                            const std::vector<std::string> &params, const TraceQuery &query,
                            const FindVariable &find_variable);

}  // namespace btf_extra

#endif
