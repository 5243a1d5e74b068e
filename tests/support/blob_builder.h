// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Builds BTF blobs word by word, without any check: a blob may be as wrong as a test wants.
#ifndef BTF_EXTRA_TESTS_BLOB_BUILDER_H
#define BTF_EXTRA_TESTS_BLOB_BUILDER_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "userspace/format/core_api.h"

namespace btf_extra::test {

class BlobBuilder {
  public:
    BlobBuilder() : strings_(1) {}  // without a base the strings begin with ""

    // Begins a blob on top of another one.
    static BlobBuilder above(const BlobBuilder &base) {
        BlobBuilder out;
        out.next_id_ = base.next_id_;
        out.first_string_ = base.end_string();
        out.strings_.clear();
        return out;
    }

    uint32_t string(std::string_view text) {
        uint32_t offset = end_string();
        for (char c : text)
            strings_.push_back(static_cast<std::byte>(c));
        strings_.push_back(std::byte{0});
        return offset;
    }

    // Adds a record: its name ("" is none), the fields of its info word, and the words that follow.
    uint32_t type(std::string_view name, uint32_t kind, uint32_t vlen, uint32_t size_or_type,
                  const std::vector<uint32_t> &words = {}, bool kind_flag = false) {
        word(name.empty() ? 0 : string(name));
        word(vlen | kind << 24 | (kind_flag ? 1u << 31 : 0));
        word(size_or_type);
        for (uint32_t each : words)
            word(each);
        return next_id_++;
    }

    uint32_t loc_param(uint32_t size, uint32_t flags, std::vector<uint32_t> values) {
        auto vlen = static_cast<uint32_t>(values.size());
        values.insert(values.begin(), flags);
        return type("", LOC_KIND_PARAM, vlen, size, values);
    }

    uint32_t loc_proto(const std::vector<uint32_t> &ids) {
        return type("", LOC_KIND_PROTO, static_cast<uint32_t>(ids.size()), 0, ids);
    }

    uint32_t locsec(std::string_view name, const std::vector<loc_site> &sites) {
        std::vector<uint32_t> words;
        for (const loc_site &site : sites)
            words.insert(words.end(), {site.func, site.loc_proto, site.offset});
        return type(name, LOC_KIND_SEC, static_cast<uint32_t>(sites.size()), 0, words);
    }

    uint32_t end_id() const { return next_id_; }
    uint32_t end_string() const { return first_string_ + static_cast<uint32_t>(strings_.size()); }

    // Returns the blob with a 24-byte header, or with a 32-byte one and a layout of kinds 0..22.
    std::vector<std::byte> bytes(bool with_layout = false) const {
        static constexpr uint8_t kLayout[LOC_KIND_COUNT][4] = {
            {}, {4},    {},  {12},    {0, 12}, {0, 12}, {0, 8}, {},      {},     {},     {},     {},
            {}, {0, 8}, {4}, {0, 12}, {},      {4},     {},     {0, 12}, {4, 4}, {0, 4}, {0, 12}};
        auto types_len = static_cast<uint32_t>(types_.size());
        uint32_t layout_len = with_layout ? sizeof(kLayout) : 0;
        std::vector<uint32_t> header = {
            0x0001eb9f, with_layout ? 32u : 24u, 0,
            types_len,  types_len + layout_len,  static_cast<uint32_t>(strings_.size())};
        if (with_layout)
            header.insert(header.end(), {types_len, layout_len});
        std::vector<std::byte> out;
        append(out, header.data(), header.size() * sizeof(uint32_t));
        append(out, types_.data(), types_.size());
        append(out, kLayout, layout_len);
        append(out, strings_.data(), strings_.size());
        return out;
    }

  private:
    static void append(std::vector<std::byte> &out, const void *bytes, size_t size) {
        auto *first = static_cast<const std::byte *>(bytes);
        out.insert(out.end(), first, first + size);
    }

    void word(uint32_t value) { append(types_, &value, sizeof(value)); }

    uint32_t next_id_ = 1;
    uint32_t first_string_ = 0;
    std::vector<std::byte> types_;
    std::vector<std::byte> strings_;
};

}  // namespace btf_extra::test

#endif
