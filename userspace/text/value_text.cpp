// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/value_text.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

namespace btf_extra {
namespace {

uint64_t cut(uint64_t value, uint32_t size) {
    return narrow_extend(value, size, false);
}

void append_bytes(std::string &out, const uint64_t (&value)[2], uint32_t size,
                  std::string_view between) {
    unsigned char bytes[sizeof(value)];
    std::memcpy(bytes, value, sizeof(value));
    for (uint32_t i = 0; i < size; i++)
        fmt::format_to(std::back_inserter(out), "{}{:02x}", i == 0 ? "" : between, bytes[i]);
}

}  // namespace

ValueFormat::ValueFormat(const btf_blob &blob, uint32_t type_id) {
    const btf_type *type = btf_type_strip(&blob, type_id);
    if (type == nullptr)
        return;
    const btf_value value = btf_type_value(&blob, type_id);
    size_ = std::min<uint32_t>(value.size, LOC_PARAM_MAX_SIZE);
    is_signed_ = value.is_signed;
    switch (loc_kind(type)) {
    case BTF_KIND_INT: {
        const uint32_t encoding = BTF_INT_ENCODING(*reinterpret_cast<const uint32_t *>(type + 1));
        const char *name = btf_blob_string(&blob, type->name_off);
        form_ = size_ > 8                       ? Form::kBytes
                : (encoding & BTF_INT_BOOL)     ? Form::kBool
                : name && !strcmp(name, "char") ? Form::kChar
                : is_signed_                    ? Form::kSigned
                                                : Form::kUnsigned;
        break;
    }
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
        form_ = Form::kEnum;
        read_enumerators(blob, *type);
        break;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_FLOAT:
        form_ = Form::kBytes;
        break;
    default:
        size_ = 8;
        break;
    }
}

void ValueFormat::read_enumerators(const btf_blob &blob, const btf_type &type) {
    const auto *words = reinterpret_cast<const uint32_t *>(&type + 1);
    const bool wide = loc_kind(&type) == BTF_KIND_ENUM64;
    for (uint32_t i = 0; i < loc_vlen(&type); i++) {
        const uint32_t *each = words + i * (wide ? 3 : 2);
        const char *name = btf_blob_string(&blob, each[0]);
        const uint64_t value = wide ? each[1] | uint64_t{each[2]} << 32
                                    : static_cast<uint64_t>(int64_t{static_cast<int32_t>(each[1])});
        if (name != nullptr)
            enumerators_.push_back({cut(value, size_), name});
    }
    std::ranges::stable_sort(enumerators_, {}, &Enumerator::value);
}

ValueFormat ValueFormat::number() {
    ValueFormat out;
    out.form_ = Form::kUnsigned;
    return out;
}

std::optional<uint64_t> ValueFormat::value_of(std::string_view enumerator) const {
    const auto found = std::ranges::find(enumerators_, enumerator, &Enumerator::name);
    if (found == enumerators_.end())
        return {};
    return narrow_extend(found->value, size_, is_signed_);
}

// "" for a value without a name.
std::string_view ValueFormat::enumerator(uint64_t value) const {
    auto found = std::ranges::lower_bound(enumerators_, value, {}, &Enumerator::value);
    return found != enumerators_.end() && found->value == value ? found->name : "";
}

void ValueFormat::append_number(std::string &out, uint64_t value) const {
    const fmt::format_int text =
        is_signed_ ? fmt::format_int(static_cast<int64_t>(narrow_extend(value, size_, true)))
                   : fmt::format_int(value);
    out.append(text.data(), text.size());
}

void ValueFormat::append_text(std::string &out, const uint64_t (&value)[2]) const {
    const uint64_t low = cut(value[0], size_);
    switch (form_) {
    case Form::kSigned:
    case Form::kUnsigned:
        return append_number(out, low);
    case Form::kBool:
        // More than one bit is not what a compiler leaves in a bool: shown as it is.
        if (low > 1)
            return append_number(out, low);
        out += low != 0 ? "true" : "false";
        return;
    case Form::kChar:
        if (low < ' ' || low > '~')
            return append_number(out, low);
        out += '\'';
        out += static_cast<char>(low);
        out += '\'';
        return;
    case Form::kEnum:
        if (const std::string_view name = enumerator(low); !name.empty())
            out += name;
        else
            append_number(out, low);
        return;
    case Form::kAddress:
        fmt::format_to(std::back_inserter(out), "{:#x}", low);
        return;
    case Form::kBytes:
        out += '{';
        append_bytes(out, value, size_, " ");
        out += '}';
        return;
    }
}

void ValueFormat::append_json(std::string &out, const uint64_t (&value)[2]) const {
    switch (form_) {
    case Form::kEnum:
        if (enumerator(cut(value[0], size_)).empty())
            return append_text(out, value);
        break;
    case Form::kAddress:
        break;
    case Form::kChar:
        return append_number(out, cut(value[0], size_));
    case Form::kBytes:
        out += '"';
        append_bytes(out, value, size_, "");
        out += '"';
        return;
    default:
        return append_text(out, value);
    }
    // Names in BTF are identifiers: there is nothing to escape.
    out += '"';
    append_text(out, value);
    out += '"';
}

}  // namespace btf_extra
