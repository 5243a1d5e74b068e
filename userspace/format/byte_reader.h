// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A bounded little-endian cursor over bytes. A read past the end returns 0 and marks the cursor as
// failed. It stays so: callers test once, at the end.
#ifndef BTF_EXTRA_BYTE_READER_H
#define BTF_EXTRA_BYTE_READER_H

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace btf_extra {

class ByteReader {
  public:
    ByteReader() = default;
    explicit ByteReader(std::span<const uint8_t> bytes)
        : begin_(bytes.data()), at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
    ByteReader(std::span<const uint8_t> bytes, uint64_t offset) : ByteReader(bytes) {
        seek(offset);
    }

    bool failed() const { return failed_; }
    bool at_end() const { return at_ == end_; }
    uint64_t offset() const { return static_cast<uint64_t>(at_ - begin_); }
    uint64_t remaining() const { return static_cast<uint64_t>(end_ - at_); }

    void seek(uint64_t offset) {
        if (offset > static_cast<uint64_t>(end_ - begin_))
            fail();
        else
            at_ = begin_ + offset;
    }
    void skip(uint64_t count) {
        if (count > remaining())
            fail();
        else
            at_ += count;
    }

    uint8_t u8() { return fixed<uint8_t>(); }
    uint16_t u16() { return fixed<uint16_t>(); }
    uint32_t u32() { return fixed<uint32_t>(); }
    uint64_t u64() { return fixed<uint64_t>(); }
    // Reads 1 to 8 bytes, zero-extended.
    uint64_t unsigned_of(uint32_t size) {
        if (size > 8 || size > remaining()) {
            fail();
            return 0;
        }
        uint64_t value = 0;
        std::memcpy(&value, at_, size);
        at_ += size;
        return value;
    }
    // Reads an offset into a section, which has 4 or 8 bytes.
    uint64_t section_offset(uint8_t offset_size) { return offset_size == 8 ? u64() : u32(); }

    uint64_t uleb() {
        uint64_t value = 0;
        for (uint32_t shift = 0; at_ != end_; shift += 7) {
            const uint8_t byte = *at_++;
            if (shift < 64)
                value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if (!(byte & 0x80))
                return value;
        }
        fail();
        return 0;
    }
    int64_t sleb() {
        uint64_t value = 0;
        for (uint32_t shift = 0; at_ != end_;) {
            const uint8_t byte = *at_++;
            if (shift < 64)
                value |= static_cast<uint64_t>(byte & 0x7f) << shift;
            shift += 7;
            if (!(byte & 0x80)) {
                if ((byte & 0x40) && shift < 64)
                    value |= ~uint64_t{0} << shift;
                return static_cast<int64_t>(value);
            }
        }
        fail();
        return 0;
    }

    // Reads what ByteWriter::zigzag() writes.
    int64_t zigzag() {
        const uint64_t value = uleb();
        return static_cast<int64_t>((value >> 1) ^ -(value & 1));
    }

    std::span<const uint8_t> bytes(uint64_t count) {
        if (count > remaining()) {
            fail();
            return {};
        }
        const std::span<const uint8_t> result(at_, count);
        at_ += count;
        return result;
    }
    // Reads a string and the NUL byte after it.
    std::string_view string() {
        const void *nul = remaining() ? std::memchr(at_, 0, remaining()) : nullptr;
        if (!nul) {
            fail();
            return {};
        }
        const auto *last = static_cast<const uint8_t *>(nul);
        const std::string_view result(reinterpret_cast<const char *>(at_),
                                      static_cast<size_t>(last - at_));
        at_ = last + 1;
        return result;
    }

  private:
    template <class T> T fixed() {
        T value{};
        if (sizeof(T) > remaining()) {
            fail();
            return value;
        }
        std::memcpy(&value, at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    void fail() {
        failed_ = true;
        at_ = end_;
    }

    const uint8_t *begin_ = nullptr;
    const uint8_t *at_ = nullptr;
    const uint8_t *end_ = nullptr;
    bool failed_ = false;
};

}  // namespace btf_extra

#endif
