// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Adds sections to a relocatable file, or replaces them.
#ifndef BTF_EXTRA_SECTION_WRITER_H
#define BTF_EXTRA_SECTION_WRITER_H

#include <cstddef>
#include <span>
#include <string>

#include "userspace/format/result.h"

namespace btf_extra::generator {

struct SectionContents {
    const char *name;
    std::span<const std::byte> bytes;
};

// Gives each of these sections its contents. A section that is not there is added behind all
// others, allocated and read-only. No other section changes its number, name, flags or bytes. The
// file is replaced as a whole, by a rename: on failure it is untouched.
Result<void> write_sections(const std::string &path, std::span<const SectionContents> sections);

}  // namespace btf_extra::generator

#endif
