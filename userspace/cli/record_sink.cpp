// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/record_sink.h"

#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

namespace btf_extra {

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void TextSink::begin(uint32_t id, std::string_view kind, std::string_view name) {
    fmt::format_to(std::back_inserter(out_), "[{}] {} '{}'", id, kind, name);
    item_start_ = false;
}

std::string_view TextSink::space() {
    return std::exchange(item_start_, false) ? "" : " ";
}

void TextSink::number(std::string_view key, uint64_t value) {
    fmt::format_to(std::back_inserter(out_), "{}{}={}", space(), key, value);
}

void TextSink::signed_number(std::string_view key, int64_t value) {
    fmt::format_to(std::back_inserter(out_), "{}{}={}", space(), key, value);
}

void TextSink::flags(std::string_view key, uint32_t value) {
    fmt::format_to(std::back_inserter(out_), "{}{}={:#x}", space(), key, value);
}

void TextSink::word(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), "{}{}={}", space(), key, value);
}

void TextSink::quoted(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), "{}{}='{}'", space(), key, value);
}

void TextSink::begin_list(std::string_view) {}

void TextSink::item() {
    text_only("\n\t");
    item_start_ = true;
}

void TextSink::item(std::string_view name) {
    fmt::format_to(std::back_inserter(out_), "\n\t'{}'", name);
    item_start_ = false;
}

void TextSink::text_only(std::string_view text) {
    out_.append(text);
}

void TextSink::end() {
    out_.push_back('\n');
}

std::string_view JsonSink::comma() {
    return std::exchange(first_field_, false) ? "" : ",";
}

void JsonSink::begin(uint32_t id, std::string_view kind, std::string_view name) {
    fmt::format_to(std::back_inserter(out_), R"({}{{"id":{},"kind":"{}","name":{})",
                   std::exchange(first_record_, false) ? "" : ",", id, kind, json_string(name));
    first_field_ = false;
}

void JsonSink::number(std::string_view key, uint64_t value) {
    fmt::format_to(std::back_inserter(out_), R"({}"{}":{})", comma(), key, value);
}

void JsonSink::signed_number(std::string_view key, int64_t value) {
    fmt::format_to(std::back_inserter(out_), R"({}"{}":{})", comma(), key, value);
}

void JsonSink::flags(std::string_view key, uint32_t value) {
    number(key, value);
}

void JsonSink::word(std::string_view key, std::string_view value) {
    quoted(key, value);
}

void JsonSink::quoted(std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(out_), R"({}"{}":{})", comma(), key, json_string(value));
}

void JsonSink::begin_list(std::string_view key) {
    fmt::format_to(std::back_inserter(out_), R"({}"{}":[)", comma(), key);
    in_list_ = true;
    first_item_ = true;
}

void JsonSink::item() {
    out_.append(std::string_view(std::exchange(first_item_, false) ? "{" : "},{"));
    first_field_ = true;
}

void JsonSink::item(std::string_view name) {
    item();
    quoted("name", name);
}

void JsonSink::text_only(std::string_view) {}

void JsonSink::end() {
    if (in_list_)
        out_.append(std::string_view(first_item_ ? "]" : "}]"));
    out_.push_back('}');
    in_list_ = false;
}

}  // namespace btf_extra
