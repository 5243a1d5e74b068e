// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads addresses and offsets as people write them.
#ifndef BTF_EXTRA_HEX_NUMBER_H
#define BTF_EXTRA_HEX_NUMBER_H

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace btf_extra {

// Reads hexadecimal digits with or without "0x". Returns nothing for any other text.
inline std::optional<uint64_t> parse_hex(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X"))
        text.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value, 16);
    if (error != std::errc{} || end != text.end())
        return {};
    return value;
}

// Reads hexadecimal digits after "0x", and decimal ones without it, as tools write offsets. Returns
// nothing for any other text.
inline std::optional<uint64_t> parse_number(std::string_view text) {
    if (text.starts_with("0x"))
        return parse_hex(text.substr(2));
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value, 10);
    if (error != std::errc{} || end != text.end())
        return {};
    return value;
}

}  // namespace btf_extra

#endif
