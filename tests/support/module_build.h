// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes small kernels and modules while a test runs.
#ifndef BTF_EXTRA_TESTS_MODULE_BUILD_H
#define BTF_EXTRA_TESTS_MODULE_BUILD_H

#include <string>

#include "tests/support/fixture_build.h"

namespace btf_extra::test {

// Links a "vmlinux" with DWARF and .BTF. A release is put into .rodata, where a kernel has it.
void build_kernel(const std::string &path, const std::string &release = "");

// Compiles tests/fixtures/module.c twice, as units "one" and "two", and links them to one
// relocatable file with a build-id. If split_btf names a kernel, the file gets .BTF on top of that
// kernel's BTF.
void build_module(const std::string &path, const Recipe &recipe, const std::string &split_btf,
                  const std::string &release = "");

}  // namespace btf_extra::test

#endif
