// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Asks the servers in DEBUGINFOD_URLS for what they have of a build-id, by libdebuginfod. The
// library is loaded when it is needed: it brings thirty others along.
#ifndef BTF_EXTRA_DEBUGINFOD_H
#define BTF_EXTRA_DEBUGINFOD_H

#include <memory>
#include <string>

#include "userspace/format/result.h"
#include "userspace/host/progress.h"

namespace btf_extra::host {

class Debuginfod {
  public:
    // The error has the code ENOENT if DEBUGINFOD_URLS is not set.
    static Result<std::unique_ptr<Debuginfod>> open(ShowProgress show);
    virtual ~Debuginfod() = default;

    // These return the path of a file, which the library keeps in its cache, and show the progress
    // of `what`. Errors have no code. No server has anything of an empty build-id.

    // The file is of that build.
    virtual Result<std::string> debug_info(const std::string &what,
                                           const std::string &build_id) = 0;
    // The file has the bytes of a section of any ELF file with that build-id, or so a server says.
    virtual Result<std::string> section(const std::string &what, const std::string &build_id,
                                        const std::string &name) = 0;
};

}  // namespace btf_extra::host

#endif
