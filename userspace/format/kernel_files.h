// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The files beside the tables of a kernel, with which the tables can be read where that kernel does
// not run and its ELF file is not at hand.
#ifndef BTF_EXTRA_KERNEL_FILES_H
#define BTF_EXTRA_KERNEL_FILES_H

#include <string>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"

namespace btf_extra {

inline constexpr char kKernelBtf[] = "vmlinux.btf";     // the section .BTF
inline constexpr char kKernelSymbols[] = "System.map";  // of code as linked, like /proc/kallsyms
inline constexpr char kKernelBanner[] = "version";      // the line "Linux version ..."

// Writes them to a folder.
Result<void> write_kernel_files(const ElfImage &kernel, const std::string &folder);

}  // namespace btf_extra

#endif
