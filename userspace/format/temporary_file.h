// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A file that is being written, in the folder of its final path.
#ifndef BTF_EXTRA_TEMPORARY_FILE_H
#define BTF_EXTRA_TEMPORARY_FILE_H

#include <cstddef>
#include <span>
#include <string>

#include "userspace/format/result.h"

namespace btf_extra {

// The file is removed unless keep_as() is reached. false: errno has the reason.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string &target);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    int fd() const { return fd_; }  // -1: it could not be made
    // Renames the file, or removes it if that fails.
    bool keep_as(const std::string &target);

  private:
    std::string name_;
    int fd_;
};

// Writes all bytes at the position of the descriptor. false: errno has the reason.
bool write_all(int fd, std::span<const std::byte> bytes);

// Writes a temporary file and renames it to path. On failure nothing is left, and a file at
// path is untouched. The error has the errno.
Result<void> write_whole_file(const std::string &path, std::span<const std::byte> bytes);

}  // namespace btf_extra

#endif
