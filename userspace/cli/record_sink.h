// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Takes the fields of a location record: there is one walk over the record, and two forms of
// output.
#ifndef BTF_EXTRA_RECORD_SINK_H
#define BTF_EXTRA_RECORD_SINK_H

#include <cstdint>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace btf_extra {

// Takes a record's fields in the order of the text. Between begin_list() and end(), fields belong
// to the item that item() began.
class RecordSink {
  public:
    // Appends to out, which the caller empties as it likes between records: lines of text, or JSON
    // objects with a comma before each but the first.
    RecordSink(fmt::memory_buffer &out, bool json) : out_(out), json_(json) {}

    void begin(uint32_t id, std::string_view kind, std::string_view name);
    template <class Number> void number(std::string_view key, Number value) {
        begin_field(key);
        append("{}", value);
    }
    void flags(std::string_view key, uint32_t value);
    void quoted(std::string_view key, std::string_view value);  // key='value'
    void begin_list(std::string_view key);
    void item();
    void end();

  private:
    template <class... Values>
    void append(fmt::format_string<Values...> format, Values &&...values) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    }
    void begin_field(std::string_view key);
    void string(std::string_view value);

    fmt::memory_buffer &out_;
    bool json_;
    bool first_record_ = true;
    bool first_field_ = true;
    bool first_item_ = true;
    bool in_list_ = false;
};

}  // namespace btf_extra

#endif
