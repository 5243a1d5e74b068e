// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Small kernels and modules, made when a test runs.
#ifndef BTF_EXTRA_TESTS_MODULE_BUILD_H
#define BTF_EXTRA_TESTS_MODULE_BUILD_H

#include <string>

#include "tests/support/fixture_build.h"

namespace btf_extra::test {

// A linked "vmlinux" with DWARF and .BTF; a release goes into .rodata where a kernel has it.
void build_kernel(const std::string &path, const std::string &release = "");

// tests/fixtures/module.c twice, as units "one" and "two", made one relocatable file with a
// build-id. split_btf: with .BTF on top of that kernel's; empty: without.
void build_module(const std::string &path, const Recipe &recipe, const std::string &split_btf,
                  const std::string &release = "");

}  // namespace btf_extra::test

#endif
