// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The files beside the tables of a kernel, with which the tables can be read where that kernel does
// not run and its ELF file is not at hand.
#ifndef BTF_EXTRA_KERNEL_FILES_H
#define BTF_EXTRA_KERNEL_FILES_H

#include <string>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"

namespace btf_extra {

inline constexpr char kKernelBtf[] = "vmlinux.btf";     // the section .BTF
inline constexpr char kKernelSymbols[] = "System.map";  // of code as linked, like /proc/kallsyms
inline constexpr char kKernelBanner[] = "version";      // the line "Linux version ..."
// Symbols of the code of all modules: "OFFSET TYPE NAME\t[MODULE SECTION]", counted by section.
inline constexpr char kModuleSymbols[] = "modules.map";
inline constexpr char kModuleBtfSuffix[] = ".btf";  // MODULE.btf: its section .BTF, if it has one

// Writes those of the kernel to a folder.
Result<void> write_kernel_files(const ElfImage &kernel, const std::string &folder);

struct ModuleFile {
    std::string name, path;
};
// Writes those of its modules. One that cannot be read has no symbols.
Result<void> write_module_files(const std::vector<ModuleFile> &modules, const std::string &folder);

}  // namespace btf_extra

#endif
