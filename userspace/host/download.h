// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Files from a web server, by libcurl, which is loaded when it is needed. A transfer that is cut
// off goes on where it was.
#ifndef BTF_EXTRA_DOWNLOAD_H
#define BTF_EXTRA_DOWNLOAD_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "userspace/format/result.h"

namespace btf_extra::host {

class Download {
  public:
    static Result<std::unique_ptr<Download>> open();
    virtual ~Download() = default;

    // Returns the bytes of a small file. The error has the code ENOENT if the server has none.
    virtual Result<std::string> text(const std::string &url, uint64_t max_size) = 0;

    // Writes a file of that many bytes. On an error, a part of it may remain. progress: called with
    // the number of bytes written so far.
    virtual Result<void> file(const std::string &url, const std::string &path, uint64_t size,
                              const std::function<void(uint64_t done)> &progress) = 0;
};

}  // namespace btf_extra::host

#endif
