// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parameter "complete" of btf_extra.ko, which only patched kernels have: whether fentry
// programs run at the inlined calls of their functions, too.
#ifndef BTF_EXTRA_COMPLETING_H
#define BTF_EXTRA_COMPLETING_H

#include <fstream>
#include <string>

#include <unistd.h>

#include "tests/vm/guest_sites.h"

namespace guest {

inline constexpr char kComplete[] = "/sys/module/btf_extra/parameters/complete";

inline bool can_complete() {
    return access(kComplete, F_OK) == 0;
}

inline std::string complete_mode() {
    std::string mode;
    std::ifstream(kComplete) >> mode;
    return mode;
}

// Returns false if the module does not take it.
inline bool set_complete(const std::string &mode) {
    std::ofstream file(kComplete);
    file << mode << std::flush;
    return file.good();
}

// Sets the parameter, and sets it back when it is destroyed. Does nothing if there is none.
class Completing {
  public:
    explicit Completing(const char *mode) : before_(complete_mode()) {
        if (can_complete() && !set_complete(mode))
            die(std::string(kComplete) + ": " + mode);
    }
    Completing(const Completing &) = delete;
    Completing &operator=(const Completing &) = delete;
    ~Completing() {
        if (can_complete())
            set_complete(before_);
    }

  private:
    const std::string before_;
};

}  // namespace guest

#endif
