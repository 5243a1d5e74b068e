// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_MACHINE_NAME_H
#define BTF_EXTRA_MACHINE_NAME_H

#include <cstdint>
#include <string>

namespace btf_extra {

// Returns the name of an ELF e_machine, as `uname -m` prints it; "machine 1234" if it has none
// here.
std::string machine_name(uint16_t machine);

}  // namespace btf_extra

#endif
