// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the alternate file of debug information: the file that dwz -m has moved the entries and
// strings to that several files share. .gnu_debugaltlink names it, or .debug_sup (DWARF 5, 7.3.6).
#ifndef BTF_EXTRA_ALTERNATE_FILE_H
#define BTF_EXTRA_ALTERNATE_FILE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"

namespace btf_extra::generator {

struct AlternateLink {
    const char *section;  // that has the link
    std::string name;     // of the file; a relative one is meant from the folder of the link's file
    std::string id;       // its build-id or checksum, as lower-case hex
};

// Reads the link of one of these sections. nullopt: it is another section, or malformed, or the
// file is itself a supplementary one.
std::optional<AlternateLink> alternate_link(std::string_view section,
                                            std::span<const uint8_t> bytes);

// Opens the file that a link in the file at a path leads to: by its name, or by its build-id below
// /usr/lib/debug. The error says what is missing.
Result<ElfImage> open_alternate(const std::string &path, const AlternateLink &link);

}  // namespace btf_extra::generator

#endif
