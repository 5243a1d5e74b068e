// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Prints an audit: a table with a row for each attach point and a column for each kernel, and below
// it the findings, the worst first; or JSON.
#ifndef BTF_EXTRA_AUDIT_TEXT_H
#define BTF_EXTRA_AUDIT_TEXT_H

#include <string>

#include "userspace/audit/audit.h"
#include "userspace/text/json_text.h"

namespace btf_extra::audit {

std::string audit_text(const Audit &audit);
ordered_json audit_json(const Audit &audit);

}  // namespace btf_extra::audit

#endif
