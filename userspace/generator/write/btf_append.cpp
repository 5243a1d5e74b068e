// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/btf_append.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <linux/btf.h>

namespace btf_extra::generator {

namespace {

// The header that all kernels know, and the layout of the kinds, see kernel/core/FORMAT.md.
struct LongHeader {
    btf_header header;
    uint32_t layout_offset, layout_length;
};

}  // namespace

std::vector<std::byte> append_btf(const BtfImage &lower, const BtfImage &upper) {
    const btf_blob &low = lower.blob();
    const btf_blob &up = upper.blob();
    assert(up.base == &low);
    LongHeader header{};
    std::memcpy(&header.header, low.data, sizeof(header.header));
    const uint32_t header_length = header.header.hdr_len;
    header.header.type_off = 0;
    header.header.type_len = low.types_len + up.types_len;
    header.layout_offset = low.layout_len != 0 ? header.header.type_len : 0;
    header.layout_length = low.layout_len;
    header.header.str_off = header.header.type_len + low.layout_len;
    header.header.str_len = low.strings_len + up.strings_len;

    std::vector<std::byte> bytes(header_length);
    std::memcpy(bytes.data(), &header, std::min<size_t>(header_length, sizeof(header)));
    const auto append = [&](const btf_blob &blob, uint32_t offset, uint32_t length) {
        const auto *begin = reinterpret_cast<const std::byte *>(blob.data) + offset;
        bytes.insert(bytes.end(), begin, begin + length);
    };
    append(low, low.types_off, low.types_len);
    append(up, up.types_off, up.types_len);
    append(low, low.layout_off, low.layout_len);
    append(low, low.strings_off, low.strings_len);
    append(up, up.strings_off, up.strings_len);
    return bytes;
}

}  // namespace btf_extra::generator
