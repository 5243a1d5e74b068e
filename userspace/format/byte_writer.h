// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Collects bytes: numbers as LEB128, arrays as they are in memory, and texts with a NUL each.
#ifndef BTF_EXTRA_BYTE_WRITER_H
#define BTF_EXTRA_BYTE_WRITER_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace btf_extra {

class ByteWriter {
  public:
    const std::vector<std::byte> &bytes() const { return bytes_; }
    std::vector<std::byte> take() { return std::move(bytes_); }
    void clear() { bytes_.clear(); }
    uint32_t size() const { return static_cast<uint32_t>(bytes_.size()); }

    void uleb(uint64_t value) {
        for (; value >= 128; value >>= 7)
            bytes_.push_back(static_cast<std::byte>(value | 128));
        bytes_.push_back(static_cast<std::byte>(value));
    }
    // The sign is in the lowest bit, so that small numbers of either sign are short.
    void zigzag(int64_t value) {
        uleb(value < 0 ? (static_cast<uint64_t>(-(value + 1)) << 1) | 1
                       : static_cast<uint64_t>(value) << 1);
    }
    template <class T> void items(std::span<const T> items) {
        const auto bytes = std::as_bytes(items);
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    template <class T> void items(const std::vector<T> &all) { items(std::span<const T>(all)); }
    template <class T> void item(const T &one) { items(std::span<const T>(&one, 1)); }
    // Returns where the text begins.
    uint32_t text(std::string_view text) {
        const uint32_t at = size();
        items(std::span<const char>(text));
        bytes_.push_back(std::byte{0});
        return at;
    }
    void align(size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace btf_extra

#endif
