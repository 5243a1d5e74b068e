// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A kernel that attach points are audited against: the running one, an installed release, or one of
// which only the tables are at hand.
#ifndef BTF_EXTRA_AUDITED_KERNEL_H
#define BTF_EXTRA_AUDITED_KERNEL_H

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/probing/func_survey.h"
#include "userspace/lib/tables/attach_names.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra::audit {

class AuditedKernel {
  public:
    // text: empty for the running kernel; the release of an installed one; a folder or a file of
    // tables.
    static Result<std::unique_ptr<AuditedKernel>> open(const std::string &text);

    // Returns the texts of the kernels that a text means: those in a tree of
    // `firmware --by-build-id`, else the text itself.
    static std::vector<std::string> kernels_of(const std::string &text);

    AuditedKernel(const AuditedKernel &) = delete;
    AuditedKernel &operator=(const AuditedKernel &) = delete;

    const std::string &name() const { return name_; }  // its release, else the text
    SiteTables &tables() const { return *tables_; }
    const AttachNames &names() const { return *names_; }
    const loc_arch *arch() const;  // NULL: of a machine that is not known here
    // Nothing: it is not known which code takes probes.
    const SitePlacer *placer() const { return placer_ ? &*placer_ : nullptr; }

  private:
    AuditedKernel() = default;

    std::string name_;
    std::unique_ptr<SiteTables> tables_;
    std::optional<AttachNames> names_;
    std::optional<SitePlacer> placer_;
};

}  // namespace btf_extra::audit

#endif
