// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/locations/postfix_place.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "userspace/format/byte_reader.h"

namespace btf_extra::generator {

namespace {

using Place = ExprPlace<PostfixValue>;

// The bytes of a parameter, from the first one on. Each part has 1 to 8 of them, all in one half of
// 8 bytes.
class Parts {
  public:
    // Adds the next bytes. false: they are not available.
    bool add(const Place &place, uint32_t bytes, const ExprFormat &format) {
        switch (place.kind) {
        case Place::kRegister:
            return place.reg < format.registers &&
                   add_value(PostfixValue::of_register(place.reg), bytes);
        case Place::kMemory:
            return add_memory(place.value, bytes);
        case Place::kValue:
            return (place.value.type_generic || place.value.type_bits >= 8 * bytes) &&
                   add_value(place.value, bytes);
        case Place::kBytes:
            return add_bytes(place.bytes, bytes);
        case Place::kNone:
        case Place::kMissing:
            break;
        }
        return false;
    }

    ExpressionCode code() const {
        PostfixCode code;
        if (parts_.size() == 1 && size_ <= 8)
            code = parts_[0].value.code(size_);
        else
            for (const Part &part : parts_)
                code.append_piece(part.value.code(part.bytes), part.bytes);
        return code.fits() ? code.with_header(size_) : ExpressionCode();
    }

  private:
    struct Part {
        PostfixValue value;
        uint32_t bytes;
    };

    // Bytes up to the end of the half.
    uint32_t room() const { return 8 - size_ % 8; }

    bool add_part(PostfixValue value, uint32_t bytes) {
        if (value.is_unknown())
            return false;
        parts_.push_back({std::move(value), bytes});
        size_ += bytes;
        return true;
    }

    bool add_value(const PostfixValue &value, uint32_t bytes) {
        if (bytes > 8)
            return false;
        const PostfixValue used = value.used(bytes);
        const uint32_t first = std::min(bytes, room());
        return add_part(used, first) &&
               (first == bytes || add_part(used.upper(8 * first), bytes - first));
    }

    bool add_memory(const PostfixValue &address, uint32_t bytes) {
        if (!address.type_generic && address.type_bits < 64)
            return false;
        for (uint32_t done = 0; done < bytes;) {
            const uint32_t part = std::bit_floor(std::min(bytes - done, room()));
            const PostfixValue at = address.plus(PostfixValue::constant(done));
            if (!add_part(at.load(part), part))
                return false;
            done += part;
        }
        return true;
    }

    bool add_bytes(std::span<const uint8_t> number, uint32_t bytes) {
        if (number.size() < bytes)
            return false;
        ByteReader reader(number);
        for (uint32_t done = 0; done < bytes;) {
            const uint32_t part = std::min(bytes - done, room());
            if (!add_part(PostfixValue::constant(reader.unsigned_of(part)), part))
                return false;
            done += part;
        }
        return true;
    }

    std::vector<Part> parts_;
    uint32_t size_ = 0;
};

}  // namespace

ExpressionCode code_of(const ExprResult<PostfixValue> &found, uint32_t size,
                       const ExprFormat &format) {
    Parts parts;
    if (found.pieces.empty())
        return parts.add(found.place, size, format) ? parts.code() : ExpressionCode();
    if (found.place.kind != Place::kNone)
        return {};
    uint32_t left = size;
    for (const ExprPiece<PostfixValue> &piece : found.pieces) {
        if (left == 0)
            break;
        const auto bytes = static_cast<uint32_t>(std::min<uint64_t>(piece.size, left));
        if (!piece.whole || bytes == 0 || !parts.add(piece.place, bytes, format))
            return {};
        left -= bytes;
    }
    return left == 0 ? parts.code() : ExpressionCode();
}

}  // namespace btf_extra::generator
