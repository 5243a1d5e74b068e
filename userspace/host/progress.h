// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Shows how far a long piece of work is.
#ifndef BTF_EXTRA_PROGRESS_H
#define BTF_EXTRA_PROGRESS_H

#include <cstdint>
#include <functional>
#include <string>

namespace btf_extra::host {

struct Progress {
    std::string what;
    uint64_t done, total;  // total 0: it is not known
    bool bytes = false;    // they are printed as MB
};

// May be empty.
using ShowProgress = std::function<void(const Progress &progress)>;

}  // namespace btf_extra::host

#endif
