// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The border of the C API. An error becomes a negative errno and a line of text. No exception
// leaves the library.
#ifndef BTF_EXTRA_API_ERROR_H
#define BTF_EXTRA_API_ERROR_H

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>

#include "userspace/format/result.h"

namespace btf_extra {

// Remembers the text and returns the negative code, or -EINVAL if the error has no code.
int api_fail(const Error &error) noexcept;

// Does the work of a function of the API: 0, or what api_fail() returns. work() -> Result<void>
template <class Work> int api_guard(const Work &work) noexcept {
    try {
        const Result<void> done = work();
        return done ? 0 : api_fail(done.error());
    } catch (const std::bad_alloc &) {
        return api_fail({"out of memory", ENOMEM});
    } catch (const std::exception &other) {
        return api_fail({other.what(), EIO});
    }
}

// Reads a caller's struct, which may be of another version. Fields that it does not have are 0. It
// is an error if it has a field that is not known here and not 0.
template <class Opts> Result<Opts> api_opts(const Opts *given) {
    Opts out = {};
    out.sz = sizeof(out);
    if (given == nullptr)
        return out;
    if (given->sz < sizeof(given->sz))
        return Error{"opts: sz is not the size of the struct", EINVAL};
    const auto *bytes = reinterpret_cast<const unsigned char *>(given);
    for (size_t i = sizeof(out); i < given->sz; i++)
        if (bytes[i] != 0)
            return Error{"opts: a field is set that this version of the library does not know",
                         EINVAL};
    std::memcpy(static_cast<void *>(&out), given,
                given->sz < sizeof(out) ? given->sz : sizeof(out));
    out.sz = sizeof(out);
    return out;
}

}  // namespace btf_extra

#endif
