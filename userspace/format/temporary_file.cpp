// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace btf_extra {

TemporaryFile::TemporaryFile(const std::string &target) : name_(target + ".XXXXXX") {
    fd_ = mkostemp(name_.data(), O_CLOEXEC);
}

TemporaryFile::~TemporaryFile() {
    if (fd_ >= 0) {
        close(fd_);
        unlink(name_.c_str());
    }
}

bool write_all(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0)
            return false;
        bytes = bytes.subspan(static_cast<size_t>(written));
    }
    return true;
}

bool TemporaryFile::keep_as(const std::string &target) {
    // mkostemp() gives access to the owner only, but the mode of an output file follows the umask.
    mode_t mask = umask(0);
    umask(mask);
    bool kept = fchmod(fd_, 0666 & ~mask) == 0;
    int saved = errno;
    if (close(fd_) != 0 && kept) {
        saved = errno;
        kept = false;
    }
    fd_ = -1;
    if (kept && rename(name_.c_str(), target.c_str()) == 0)
        return true;
    if (kept)
        saved = errno;
    unlink(name_.c_str());
    errno = saved;
    return false;
}

Result<void> write_whole_file(const std::string &path, std::span<const std::byte> bytes) {
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
        return Error{fmt::format("{}: output: not a regular file", path)};
    TemporaryFile file(path);
    if (file.fd() < 0 || !write_all(file.fd(), bytes) || !file.keep_as(path))
        return Error{fmt::format("{}: output: {}", path, std::strerror(errno)), errno};
    return {};
}

}  // namespace btf_extra
