// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// JSON as all subcommands print it.
#ifndef BTF_EXTRA_JSON_TEXT_H
#define BTF_EXTRA_JSON_TEXT_H

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace btf_extra {

using nlohmann::ordered_json;

template <class T> ordered_json or_null(const std::optional<T> &value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

// Bytes that are not UTF-8 become U+FFFD.
inline void print_object(const ordered_json &object) {
    fmt::print("{}\n", object.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace btf_extra

#endif
