// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A file that is being written, in the folder of its final path.
#ifndef BTF_EXTRA_TEMPORARY_FILE_H
#define BTF_EXTRA_TEMPORARY_FILE_H

#include <string>

namespace btf_extra {

// The file is removed unless keep_as() is reached.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string &target);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile &) = delete;
    TemporaryFile &operator=(const TemporaryFile &) = delete;

    int fd() const { return fd_; }  // -1, with errno: it could not be made

    // Returns false, with errno, and removes the file, if it cannot be renamed.
    bool keep_as(const std::string &target);

  private:
    std::string name_;
    int fd_;
};

}  // namespace btf_extra

#endif
