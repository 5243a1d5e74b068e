// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes one blob of two, of which one stands on the other. It takes the place of the lower one.
#ifndef BTF_EXTRA_BTF_APPEND_H
#define BTF_EXTRA_BTF_APPEND_H

#include <cstddef>
#include <vector>

#include "userspace/format/btf_image.h"

namespace btf_extra::generator {

// upper stands on lower. Records and strings of upper follow those of lower, so that every id and
// every offset of a string stays what it was in either.
std::vector<std::byte> append_btf(const BtfImage &lower, const BtfImage &upper);

}  // namespace btf_extra::generator

#endif
