// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Decompresses zstd, which libelf supports from 0.189 on; Debian 12 has 0.188. The result is a file
// in memory, so that elfutils can map it as any other.
#ifndef BTF_EXTRA_ZSTD_FILE_H
#define BTF_EXTRA_ZSTD_FILE_H

#include <string>

#include <libelf.h>

#include "userspace/format/file_descriptor.h"
#include "userspace/format/result.h"

namespace btf_extra {

// Returns true if a file begins like one that is compressed with zstd as a whole (x.ko.zst).
bool is_zstd_file(int fd);

// Decompresses a whole file. Messages call it path.
Result<FileDescriptor> decompress_zstd_file(const std::string &path, int fd);

// Returns a copy of an ELF64 little-endian file in which all sections are plain that zstd has
// compressed, or no descriptor if it has no such section.
Result<FileDescriptor> decompress_zstd_sections(const std::string &path, Elf *elf);

}  // namespace btf_extra

#endif
