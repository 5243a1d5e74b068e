// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads what is at an address of a linked file, such as a table of the kernel. A kernel that moves
// itself has addresses in its relocations, and perhaps zeros in their place.
#ifndef BTF_EXTRA_LINKED_BYTES_H
#define BTF_EXTRA_LINKED_BYTES_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "userspace/format/elf_image.h"

namespace btf_extra {

// Empty: they are not in one section, or not in the file.
std::vector<std::byte> linked_bytes(const ElfImage &elf, uint64_t address, uint64_t size);

}  // namespace btf_extra

#endif
