// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes a .btf_extra file as `generate` does.
#ifndef BTF_EXTRA_EXTRA_WRITER_H
#define BTF_EXTRA_EXTRA_WRITER_H

#include <string>

#include "userspace/format/extra_file.h"
#include "userspace/format/temporary_file.h"

namespace btf_extra {

inline Result<void> write_extra_file(const std::string &path, const ExtraFile &file) {
    const auto bytes = TRY(extra_file_bytes(path, file));
    return write_whole_file(path, bytes);
}

}  // namespace btf_extra

#endif
