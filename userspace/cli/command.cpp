// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/command.h"

#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace btf_extra {

int fail(const Error &error, int exit_code) {
    std::string line = error.message;
    for (char &c : line)
        if (static_cast<unsigned char>(c) < ' ')
            c = '?';
    std::fflush(stdout);
    fmt::print(stderr, "btf-extra: {}\n", line);
    return exit_code;
}

}  // namespace btf_extra
