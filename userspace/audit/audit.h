// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Audits attach points against kernels, one after the other.
#ifndef BTF_EXTRA_AUDIT_H
#define BTF_EXTRA_AUDIT_H

#include <memory>
#include <string>
#include <vector>

#include "userspace/audit/verdict.h"

namespace btf_extra::audit {

struct Audit {
    std::vector<std::string> kernels;
    struct Row {
        AttachPoint point;
        std::vector<Finding> findings;  // by kernel
    };
    std::vector<Row> rows;
};

// kernels: texts that AuditedKernel::open() takes. Only one is open at a time, because each takes
// some 50 MB. first: the first of them, if it is open already.
Result<Audit> audit_points(std::vector<AttachPoint> points, const std::vector<std::string> &kernels,
                           std::unique_ptr<AuditedKernel> first = nullptr);

}  // namespace btf_extra::audit

#endif
