// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Prints an audit: a table with a row for each attach point and a column for each kernel, and below
// it the findings, the worst first; or JSON.
#ifndef BTF_EXTRA_AUDIT_TEXT_H
#define BTF_EXTRA_AUDIT_TEXT_H

#include <string>
#include <vector>

#include "userspace/audit/verdict.h"
#include "userspace/text/json_text.h"

namespace btf_extra::audit {

struct Audit {
    std::vector<std::string> kernels;
    struct Row {
        AttachPoint point;
        std::vector<Finding> findings;  // by kernel
    };
    std::vector<Row> rows;
};

std::string audit_text(const Audit &audit);
ordered_json audit_json(const Audit &audit);

}  // namespace btf_extra::audit

#endif
