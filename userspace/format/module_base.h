// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Compares the BTF of a module with the vmlinux at hand, before a kernel has to refuse it.
#ifndef BTF_EXTRA_MODULE_BASE_H
#define BTF_EXTRA_MODULE_BASE_H

#include "userspace/format/btf_image.h"
#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"

namespace btf_extra {

// Returns an error if a module's .BTF, opened on vmlinux's, refers to names or types that are
// missing there.
Result<void> check_split_btf(const BtfImage &module, const BtfImage &vmlinux);

// Returns an error if a module's distilled base has a type that vmlinux lacks: the kernel could not
// move the module's BTF onto its own. A module without one has no error.
Result<void> check_distilled_base(const ElfImage &module, const BtfImage &vmlinux);

}  // namespace btf_extra

#endif
