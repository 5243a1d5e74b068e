// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The file that `btf-extra firmware` made for the running kernel. The module looks at the same
// places.
#ifndef BTF_EXTRA_INSTALLED_FILE_H
#define BTF_EXTRA_INSTALLED_FILE_H

#include <string>

#include "userspace/format/result.h"

namespace btf_extra {

// Returns /lib/firmware[/updates]/btf_extra/<release>/vmlinux.btf_extra. An error (ENOENT) names
// both.
Result<std::string> installed_file();

}  // namespace btf_extra

#endif
