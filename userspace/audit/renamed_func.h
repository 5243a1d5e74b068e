// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Names the functions that may be those which a kernel lacks, by another name.
#ifndef BTF_EXTRA_RENAMED_FUNC_H
#define BTF_EXTRA_RENAMED_FUNC_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "userspace/audit/audit.h"

namespace btf_extra::audit {

// Looks at the kernels of an audit while they are open, because opening one takes most of an audit.
class RenamedFuncs {
  public:
    // Looks at the next kernel of the audit, which has its findings.
    Result<void> look_at(const Audit &audit, const AuditedKernel &kernel);

    // Adds a line to findings of kMissing if another kernel of the audit has the function: the
    // functions that only the one has, of the same file and with the same types, unless there are
    // many. kernels: the texts of the audit's kernels. A kernel is opened again if it lacks what
    // only later kernels have.
    Result<void> add_lines(Audit &audit, const std::vector<std::string> &kernels);

  private:
    using Names = std::set<std::string>;
    using NamesByIdentity = std::map<FuncIdentity, Names>;

    static Result<void> find_names(const AuditedKernel &kernel, NamesByIdentity &wanted);

    std::vector<NamesByIdentity> names_;  // by kernel
};

}  // namespace btf_extra::audit

#endif
