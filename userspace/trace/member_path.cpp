// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/trace/member_path.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

// Arrays of arrays, and structs without a name in one another.
constexpr int kMaxDepth = 16;

// The members of a struct that are looked at: a blob may nest structs in any way.
constexpr uint32_t kMaxMembers = 1 << 16;

constexpr uint32_t kWordBits = 64;
constexpr uint64_t kMaxText = TRACE_VALUE_WORDS * sizeof(uint64_t);  // bytes, with its end

struct Member {
    uint32_t type_id;
    uint32_t bit;            // from the begin of the struct
    uint32_t bitfield_bits;  // 0: it is no bitfield
};

std::optional<Member> member_of(const btf_blob &blob, const btf_type &outer, std::string_view name,
                                uint32_t &left, int depth = 0) {
    const auto *members = reinterpret_cast<const btf_member *>(&outer + 1);
    const bool bitfields = loc_kind_flag(&outer);
    for (uint32_t i = 0; i < loc_vlen(&outer) && left > 0; i++, left--) {
        const btf_member &each = members[i];
        const uint32_t bit = bitfields ? BTF_MEMBER_BIT_OFFSET(each.offset) : each.offset;
        const char *text = btf_blob_string(&blob, each.name_off);
        if (text != nullptr && text == name)
            return Member{each.type, bit, bitfields ? BTF_MEMBER_BITFIELD_SIZE(each.offset) : 0};
        const btf_type *inner = btf_type_strip(&blob, each.type);
        if (each.name_off != 0 || inner == nullptr || depth == kMaxDepth ||
            (loc_kind(inner) != BTF_KIND_STRUCT && loc_kind(inner) != BTF_KIND_UNION))
            continue;
        if (auto found = member_of(blob, *inner, name, left, depth + 1)) {
            found->bit += bit;
            return found;
        }
    }
    return {};
}

// "u8" and other typedefs are numbers.
bool is_char(const btf_blob &blob, uint32_t type_id) {
    const btf_type *type = btf_blob_type(&blob, type_id);
    for (int depth = 0; type != nullptr && depth < kMaxDepth; depth++) {
        const uint32_t kind = loc_kind(type);
        if (kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE && kind != BTF_KIND_TYPE_TAG)
            break;
        type = btf_blob_type(&blob, type->type);
    }
    const char *text = type != nullptr ? btf_blob_string(&blob, type->name_off) : nullptr;
    const std::string_view name = text != nullptr ? text : "";
    return !name.empty() && loc_kind(type) == BTF_KIND_INT &&
           (name == "char" || name == "unsigned char");
}

// The size of an element of an array, or of what a pointer leads to. 0: it is not known.
uint64_t size_of(const btf_blob &blob, uint32_t type_id, int depth = 0) {
    const btf_type *type = btf_type_strip(&blob, type_id);
    if (type == nullptr || depth == kMaxDepth)
        return 0;
    switch (loc_kind(type)) {
    case BTF_KIND_ARRAY: {
        const auto *array = reinterpret_cast<const btf_array *>(type + 1);
        return array->nelems * size_of(blob, array->type, depth + 1);
    }
    case BTF_KIND_PTR:
        return 8;
    case BTF_KIND_INT:
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
    case BTF_KIND_FLOAT:
        return type->size;
    default:
        return 0;
    }
}

class Walk {
  public:
    Walk(const btf_blob &blob, const Operand &path, uint8_t param, uint32_t type_id)
        : blob_(blob), path_(path), type_id_(type_id) {
        value_.source = TRACE_PARAMETER;
        value_.mask = ~uint64_t{0};
        value_.param = param;
        // An array or a function is the pointer that is passed.
        const btf_type *type = this->type();
        if (type != nullptr && loc_kind(type) == BTF_KIND_ARRAY) {
            type_id_ = reinterpret_cast<const btf_array *>(type + 1)->type;
            in_memory_ = true;
        }
    }

    Walk(const TypedVariable &variable, const Operand &path, bool whole)
        : blob_(*variable.blob), path_(path), type_id_(variable.type_id), whole_(whole),
          in_memory_(true) {
        value_.source = TRACE_VARIABLE;
        value_.mask = ~uint64_t{0};
        value_.base = variable.address;
    }

    Result<MemberPath> to_end(bool as_text) {
        for (const Access &access : path_.accesses)
            TRY(access.kind == Access::kIndex ? index(access.index) : member(access));
        return end(as_text);
    }

  private:
    const btf_type *type() const { return btf_type_strip(&blob_, type_id_); }
    uint32_t kind() const {
        const btf_type *found = type();
        return found != nullptr ? loc_kind(found) : uint32_t{BTF_KIND_UNKN};
    }
    Error error(std::string_view reason) const {
        return Error{fmt::format("{}: {}", path_.text, reason)};
    }
    std::string type_text() const { return c_declaration(blob_, type_id_, ""); }

    Result<void> step(uint64_t offset) {
        if (value_.nr_steps == TRACE_STEPS)
            return error(fmt::format("more than {} pointers", TRACE_STEPS));
        if (offset > INT32_MAX)
            return error("too far from where it begins");
        value_.offsets[value_.nr_steps++] = static_cast<int32_t>(offset);
        return {};
    }

    // Follows the pointer there: the next members are in memory.
    Result<void> follow() {
        if (in_memory_)
            TRY(step(bit_ / 8));
        else if (bit_ != 0)
            return error("a pointer in a struct that is passed by value is not followed");
        in_memory_ = true;
        bit_ = 0;
        type_id_ = type()->type;
        return {};
    }

    Result<void> member(const Access &access) {
        if (access.kind == Access::kArrow) {
            if (kind() != BTF_KIND_PTR)
                return error(fmt::format("-> after '{}', which is not a pointer", type_text()));
            TRY(follow());
        }
        if (kind() == BTF_KIND_FWD)
            return error(fmt::format("the members of '{}' are not known", type_text()));
        if (kind() != BTF_KIND_STRUCT && kind() != BTF_KIND_UNION)
            return error(fmt::format("'{}' has no members", type_text()));
        uint32_t left = kMaxMembers;
        const auto found = member_of(blob_, *type(), access.member, left);
        if (!found)
            return error(fmt::format("'{}' has no member {}", type_text(), access.member));
        bit_ += found->bit;
        bitfield_bits_ = found->bitfield_bits;
        type_id_ = found->type_id;
        return {};
    }

    Result<void> index(uint64_t number) {
        if (kind() == BTF_KIND_PTR) {
            TRY(follow());
        } else if (kind() == BTF_KIND_ARRAY) {
            type_id_ = reinterpret_cast<const btf_array *>(type() + 1)->type;
        } else {
            return error(fmt::format("'{}' is neither a pointer nor an array", type_text()));
        }
        const uint64_t size = size_of(blob_, type_id_);
        if (size == 0 || number > INT32_MAX / size)
            return error("an element of it is not known, or too far away");
        bit_ += number * size * 8;
        bitfield_bits_ = 0;
        return {};
    }

    Result<MemberPath> end(bool as_text) {
        uint64_t size = kMaxText;
        if (as_text && kind() == BTF_KIND_PTR && is_char(blob_, type()->type)) {
            TRY(follow());
        } else if (kind() == BTF_KIND_ARRAY) {
            const auto *array = reinterpret_cast<const btf_array *>(type() + 1);
            if (!is_char(blob_, array->type))
                return number();
            // One that fills its array has no end there.
            if (array->nelems != 0)
                size = std::min<uint64_t>(array->nelems + uint64_t{1}, kMaxText);
        } else {
            return number();
        }
        if (!in_memory_)
            return error("a text that is passed by value cannot be read");
        TRY(step(bit_ / 8));
        value_.is_text = 1;
        value_.bits = static_cast<uint8_t>(size);
        return MemberPath{value_, &blob_, type_id_};
    }

    Result<MemberPath> number() {
        const uint64_t size = size_of(blob_, type_id_);
        const bool many = kind() == BTF_KIND_ARRAY || kind() == BTF_KIND_STRUCT ||
                          kind() == BTF_KIND_UNION || size > 16;
        if (whole_ && many && size != 0) {
            TRY(step(bit_ / 8));
            return MemberPath{value_, &blob_, type_id_};
        }
        if (kind() == BTF_KIND_ARRAY || kind() == BTF_KIND_FUNC_PROTO || size == 0)
            return error(fmt::format("'{}' is not a value", type_text()));
        if (size > 16)
            return error(fmt::format("'{}' has more than 16 bytes: name a member", type_text()));
        uint64_t bits = bitfield_bits_ != 0 ? bitfield_bits_ : size * 8, shift = bit_;
        if (in_memory_) {
            TRY(step(bit_ / 8));
            shift = bit_ % 8;
        }
        if (bits > kWordBits ? shift != 0 : shift % kWordBits + bits > kWordBits)
            return error("it spans two words");
        value_.word = static_cast<uint8_t>(shift / kWordBits);
        value_.shift = static_cast<uint8_t>(shift % kWordBits);
        value_.bits = static_cast<uint8_t>(bits);
        value_.is_signed = btf_type_value(&blob_, type_id_).is_signed;
        return MemberPath{value_, &blob_, type_id_};
    }

    const btf_blob &blob_;
    const Operand &path_;
    trace_value value_ = {};
    uint32_t type_id_;
    bool whole_ = false;  // structs and arrays are values, too
    bool in_memory_ = false;
    uint64_t bit_ = 0;            // from the begin of the value, or of what the pointer leads to
    uint32_t bitfield_bits_ = 0;  // of the last member; 0: it is no bitfield
};

}  // namespace

Result<MemberPath> find_member(const btf_blob &blob, uint8_t param, uint32_t type_id,
                               const Operand &path, bool as_text) {
    return Walk(blob, path, param, type_id).to_end(as_text);
}

Result<MemberPath> find_in_variable(const TypedVariable &variable, const Operand &path,
                                    bool as_text, bool whole) {
    return Walk(variable, path, whole).to_end(as_text);
}

}  // namespace btf_extra
