// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads from an ELF file which kernel it belongs to: "6.1.0-18-amd64", as `uname -r` prints it.
#ifndef BTF_EXTRA_KERNEL_RELEASE_H
#define BTF_EXTRA_KERNEL_RELEASE_H

#include <string>

#include "userspace/format/elf_image.h"

namespace btf_extra {

// "": the file does not contain it.
std::string kernel_release(const ElfImage &vmlinux);
// Returns the line that the kernel prints first: "Linux version 6.1.0-18-amd64 (...) #1 SMP ...".
std::string kernel_banner(const ElfImage &vmlinux);
std::string module_release(const ElfImage &module);

// Returns an error if both contain it, and the module is for another kernel.
Result<void> check_release(const ElfImage &module, const ElfImage &vmlinux);

}  // namespace btf_extra

#endif
