// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/btf_builder.h"

#include <cstring>

#include "userspace/format/core_api.h"

namespace btf_extra::generator {

namespace {

struct LayoutEntry {
    uint8_t info_size;     // bytes after struct btf_type
    uint8_t element_size;  // bytes of each of vlen elements
    uint16_t flags;
};

// Sizes of the records of kinds 0 to 22.
constexpr LayoutEntry kLayout[LOC_KIND_COUNT] = {
    {0, 0, 0},   // unknown
    {4, 0, 0},   // INT
    {0, 0, 0},   // PTR
    {12, 0, 0},  // ARRAY
    {0, 12, 0},  // STRUCT
    {0, 12, 0},  // UNION
    {0, 8, 0},   // ENUM
    {0, 0, 0},   // FWD
    {0, 0, 0},   // TYPEDEF
    {0, 0, 0},   // VOLATILE
    {0, 0, 0},   // CONST
    {0, 0, 0},   // RESTRICT
    {0, 0, 0},   // FUNC
    {0, 8, 0},   // FUNC_PROTO
    {4, 0, 0},   // VAR
    {0, 12, 0},  // DATASEC
    {0, 0, 0},   // FLOAT
    {4, 0, 0},   // DECL_TAG
    {0, 0, 0},   // TYPE_TAG
    {0, 12, 0},  // ENUM64
    {4, 4, 0},   // LOC_PARAM
    {0, 4, 0},   // LOC_PROTO
    {0, 12, 0},  // LOCSEC
};

struct Header {
    uint16_t magic;
    uint8_t version;
    uint8_t flags;
    uint32_t header_length;
    uint32_t types_offset, types_length;
    uint32_t strings_offset, strings_length;
    uint32_t layout_offset, layout_length;  // only in the long header
};
constexpr size_t kShortHeader = 24;

void append(std::vector<std::byte> &bytes, const void *from, size_t size) {
    const auto *begin = static_cast<const std::byte *>(from);
    bytes.insert(bytes.end(), begin, begin + size);
}

}  // namespace

BtfBuilder::BtfBuilder(uint32_t first_id, uint32_t first_string, FindString find_base_string)
    : next_id_(first_id), first_string_(first_string),
      find_base_string_(std::move(find_base_string)) {
    // Offset 0 is the empty string in a blob without a base, too.
    if (first_string == 0)
        strings_.push_back('\0');
}

uint32_t BtfBuilder::string(std::string_view text) {
    if (text.empty())
        return 0;
    if (const auto known = known_strings_.find(text); known != known_strings_.end())
        return known->second;
    uint32_t offset = find_base_string_ ? find_base_string_(text) : UINT32_MAX;
    if (offset == UINT32_MAX) {
        offset = first_string_ + static_cast<uint32_t>(strings_.size());
        strings_ += text;
        strings_ += '\0';
    }
    known_strings_.emplace(text, offset);
    return offset;
}

uint32_t BtfBuilder::begin(uint32_t kind, std::string_view name, uint32_t vlen,
                           uint32_t size_or_type, bool kind_flag) {
    word(string(name));
    word(vlen | kind << 24 | (kind_flag ? 1u << 31 : 0));
    word(size_or_type);
    return next_id_++;
}

std::vector<std::byte> BtfBuilder::finish(bool with_layout) const {
    const std::string strings = strings_.empty() ? std::string(1, '\0') : strings_;
    Header header{};
    header.magic = BTF_MAGIC;
    header.version = BTF_VERSION;
    header.header_length = with_layout ? sizeof(Header) : kShortHeader;
    header.types_length = static_cast<uint32_t>(words_.size() * sizeof(uint32_t));
    header.strings_offset = header.types_length;
    if (with_layout) {
        header.layout_offset = header.types_length;
        header.layout_length = sizeof(kLayout);
        header.strings_offset += header.layout_length;
    }
    header.strings_length = static_cast<uint32_t>(strings.size());

    std::vector<std::byte> bytes;
    bytes.reserve(header.header_length + header.strings_offset + strings.size());
    append(bytes, &header, header.header_length);
    append(bytes, words_.data(), words_.size() * sizeof(uint32_t));
    if (with_layout)
        append(bytes, kLayout, sizeof(kLayout));
    append(bytes, strings.data(), strings.size());
    return bytes;
}

}  // namespace btf_extra::generator
