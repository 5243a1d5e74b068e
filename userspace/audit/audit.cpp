// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/audit.h"

#include "userspace/audit/renamed_func.h"

namespace btf_extra::audit {

Result<Audit> audit_points(std::vector<AttachPoint> points, const std::vector<std::string> &kernels,
                           std::unique_ptr<AuditedKernel> first) {
    Audit out;
    for (AttachPoint &point : points)
        out.rows.push_back({std::move(point), {}});
    RenamedFuncs renamed;
    for (const std::string &text : kernels) {
        std::unique_ptr<AuditedKernel> kernel = std::move(first);
        if (!kernel)
            kernel = TRY(AuditedKernel::open(text));
        out.kernels.push_back(kernel->name());
        for (Audit::Row &row : out.rows)
            row.findings.push_back(judge(row.point, *kernel));
        TRY(renamed.look_at(out, *kernel));
    }
    for (Audit::Row &row : out.rows)
        compare_prototypes(row.findings);
    TRY(renamed.add_lines(out, kernels));
    return out;
}

}  // namespace btf_extra::audit
