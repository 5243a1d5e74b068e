// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A sum that tells whether bytes are those that were meant.
#ifndef BTF_EXTRA_SHA256_H
#define BTF_EXTRA_SHA256_H

#include <cstddef>
#include <span>
#include <string>

#include "userspace/format/result.h"

namespace btf_extra::host {

// Returns 64 digits of lower-case hex.
Result<std::string> sha256(std::span<const std::byte> bytes);

}  // namespace btf_extra::host

#endif
