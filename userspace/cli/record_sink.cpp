// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/record_sink.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace btf_extra {

void RecordSink::begin_field(std::string_view key) {
    const bool first = std::exchange(first_field_, false);
    if (json_)
        append("{}\"{}\":", first ? "" : ",", key);
    else
        append("{}{}=", first ? "" : " ", key);
}

// Bytes that are not UTF-8 become U+FFFD in JSON.
void RecordSink::string(std::string_view value) {
    if (json_)
        append("{}", nlohmann::json(value).dump(-1, ' ', false,
                                                nlohmann::json::error_handler_t::replace));
    else
        append("'{}'", value);
}

void RecordSink::begin(uint32_t id, std::string_view kind, std::string_view name) {
    const bool first = std::exchange(first_record_, false);
    if (json_)
        append(R"({}{{"id":{},"kind":"{}","name":)", first ? "" : ",", id, kind);
    else
        append("[{}] {} ", id, kind);
    string(name);
    first_field_ = false;
}

void RecordSink::flags(std::string_view key, uint32_t value) {
    begin_field(key);
    if (json_)
        append("{}", value);
    else
        append("{:#x}", value);
}

void RecordSink::quoted(std::string_view key, std::string_view value) {
    begin_field(key);
    string(value);
}

void RecordSink::begin_list(std::string_view key) {
    if (!json_)
        return;
    begin_field(key);
    append("[");
    in_list_ = true;
    first_item_ = true;
}

void RecordSink::item() {
    const bool first = std::exchange(first_item_, false);
    append("{}", !json_ ? "\n\t" : first ? "{" : "},{");
    first_field_ = true;
}

void RecordSink::end() {
    if (std::exchange(in_list_, false))
        append("{}", first_item_ ? "]" : "}]");
    append("{}", json_ ? "}" : "\n");
}

}  // namespace btf_extra
