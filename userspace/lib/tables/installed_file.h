// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What `btf-extra firmware` made for the running kernel, where the module looks for it, too.
#ifndef BTF_EXTRA_INSTALLED_FILE_H
#define BTF_EXTRA_INSTALLED_FILE_H

#include <string>
#include <string_view>

#include "userspace/format/result.h"

namespace btf_extra {

// /lib/firmware[/updates]/btf_extra/<release>/vmlinux.btf_extra; an error (ENOENT) names both.
Result<std::string> installed_file();

// Whether the running kernel has given that executable section back, once it has booted; of
// vmlinux or of a module.
bool freed_after_boot(bool vmlinux, std::string_view section);

}  // namespace btf_extra

#endif
