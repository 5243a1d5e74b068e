// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A file in the making, in the folder of the one that it becomes.
#ifndef BTF_EXTRA_TEMPORARY_FILE_H
#define BTF_EXTRA_TEMPORARY_FILE_H

#include <string>

namespace btf_extra {

// Removed again unless keep_as() was reached.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string &target);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    int fd() const { return fd_; }  // -1, with errno: it could not be made

    // False, with errno, and the file is removed.
    bool keep_as(const std::string &target);

  private:
    std::string name_;
    int fd_;
};

}  // namespace btf_extra

#endif
