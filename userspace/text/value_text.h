// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A value as its BTF type writes it: 5, -1, true, 'a', TCP_ESTABLISHED, 0xffff888004d7a000,
// {01 00 00 00}.
#ifndef BTF_EXTRA_VALUE_TEXT_H
#define BTF_EXTRA_VALUE_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/core_api.h"

namespace btf_extra {

// How values of a type are written. The type is looked up once.
class ValueFormat {
  public:
    // Typedefs and qualifiers are stripped. An array or a function is the pointer that it is as a
    // parameter. If a type is not known, 8 bytes are written in hex. The blob must outlive the
    // format.
    ValueFormat(const btf_blob &blob, uint32_t type_id);

    // Returns the format of a number of 8 bytes, without a type.
    static ValueFormat number();

    // Returns the enumerator's value, extended according to its type; nothing: none has that name.
    std::optional<uint64_t> value_of(std::string_view enumerator) const;

    // value: up to 16 bytes, low half first; bytes past the size of the type are ignored.
    void append_text(std::string &out, const uint64_t (&value)[2]) const;

    // Numbers and truth values as such, all else as strings: pointers because readers of JSON
    // keep 53 bits of a number, struct bytes as hex digits in order of memory.
    void append_json(std::string &out, const uint64_t (&value)[2]) const;

  private:
    ValueFormat() = default;

    enum class Form { kSigned, kUnsigned, kBool, kChar, kEnum, kAddress, kBytes };

    struct Enumerator {
        uint64_t value;  // cut to the size of the type
        std::string_view name;
    };

    void read_enumerators(const btf_blob &blob, const btf_type &type);
    std::string_view enumerator(uint64_t value) const;
    void append_number(std::string &out, uint64_t value) const;

    Form form_ = Form::kAddress;
    uint32_t size_ = 8;
    bool is_signed_ = false;
    std::vector<Enumerator> enumerators_;  // in order of value; of equal ones the first is taken
};

}  // namespace btf_extra

#endif
