// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A relocatable file as a linker would leave it, were it to give every section an
// address of its own: by the ELF specification, and nothing of libdwfl.
#ifndef BTF_EXTRA_TESTS_PLACED_OBJECT_H
#define BTF_EXTRA_TESTS_PLACED_OBJECT_H

#include <string>

namespace btf_extra::test {

// Writes `to`: loaded section i at address i << 32, .debug_* relocated, of type ET_EXEC.
// x86-64 and aarch64, RELA. Throws std::runtime_error, also at a relocation that it does not know.
void place_object(const std::string &from, const std::string &to);

}  // namespace btf_extra::test

#endif
