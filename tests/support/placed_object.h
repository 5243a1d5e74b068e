// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes a relocatable file as a linker would that gave every section an address of its own. It
// follows the ELF specification and uses nothing of libdwfl.
#ifndef BTF_EXTRA_TESTS_PLACED_OBJECT_H
#define BTF_EXTRA_TESTS_PLACED_OBJECT_H

#include <string>

namespace btf_extra::test {

constexpr unsigned kPlacedShift = 24;

// Writes `to` as an ET_EXEC file: loaded section i is at address i << kPlacedShift. Relocated are
// .debug_*, the kernel's tables of jumps, and the code of x86-64. Knows x86-64 and aarch64 with
// RELA. Throws std::runtime_error, also for an unknown relocation.
void place_object(const std::string &from, const std::string &to);

}  // namespace btf_extra::test

#endif
