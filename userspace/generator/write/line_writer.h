// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes the section .btf_extra.lines: which line of the source an instruction is of.
#ifndef BTF_EXTRA_LINE_WRITER_H
#define BTF_EXTRA_LINE_WRITER_H

#include <cstddef>
#include <span>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/generator/dwarf/unit_lines.h"

namespace btf_extra::generator {

// sections are in ascending order of address; lines are of the executable ones. If two
// sequences have code in common, the one that begins first stays.
std::vector<std::byte> write_lines(const std::vector<UnitLines> &units,
                                   std::span<const ElfSection> sections);

}  // namespace btf_extra::generator

#endif
