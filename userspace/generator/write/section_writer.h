// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Adds sections to a relocatable file, or replaces them.
#ifndef BTF_EXTRA_SECTION_WRITER_H
#define BTF_EXTRA_SECTION_WRITER_H

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra::generator {

struct SectionContents {
    const char *name;
    std::span<const std::byte> bytes;
};

// The bytes of such a file with these sections. The sections of hidden lose their names, so that no
// loader finds them.
Result<std::vector<std::byte>> with_sections(std::span<const std::byte> file,
                                             std::span<const SectionContents> sections,
                                             std::span<const char *const> hidden = {});

// Gives each of these sections its contents. A section that the file does not have is added
// after all others, allocated and read-only. No other section changes its number, name, flags or
// bytes. The file is replaced as a whole, by a rename: on failure it is untouched.
Result<void> write_sections(const std::string &path, std::span<const SectionContents> sections);

}  // namespace btf_extra::generator

#endif
