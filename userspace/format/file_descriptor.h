// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A file descriptor that is closed with its owner.
#ifndef BTF_EXTRA_FILE_DESCRIPTOR_H
#define BTF_EXTRA_FILE_DESCRIPTOR_H

#include <utility>

#include <unistd.h>

namespace btf_extra {

class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : fd_(fd) {}
    ~FileDescriptor() { reset(); }
    FileDescriptor(FileDescriptor &&other) noexcept : fd_(other.release()) {}
    FileDescriptor &operator=(FileDescriptor &&other) noexcept {
        if (this != &other) {
            reset();
            fd_ = other.release();
        }
        return *this;
    }

    explicit operator bool() const { return fd_ >= 0; }
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }
    void reset() {
        if (fd_ >= 0)
            close(std::exchange(fd_, -1));
    }

  private:
    int fd_ = -1;
};

}  // namespace btf_extra

#endif
