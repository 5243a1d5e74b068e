// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/api/api_error.h"

#include <string>

#include "userspace/lib/btf_extra.h"

namespace btf_extra {
namespace {

thread_local std::string last_error;

}  // namespace

int api_fail(const Error &error) noexcept {
    try {
        last_error = error.message;
    } catch (const std::bad_alloc &) {
        last_error.clear();
    }
    return error.code != 0 ? -error.code : -EINVAL;
}

}  // namespace btf_extra

const char *btf_extra_last_error(void) {
    return btf_extra::last_error.c_str();
}
