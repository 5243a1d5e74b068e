// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Where the fields of a BTF record go: one walk over the record, two forms of output.
#ifndef BTF_EXTRA_RECORD_SINK_H
#define BTF_EXTRA_RECORD_SINK_H

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace btf_extra {

// Takes a record's fields in the order of the text. Between begin_list() and end(), fields belong
// to the item that item() began.
class RecordSink {
  public:
    virtual ~RecordSink() = default;
    virtual void begin(uint32_t id, std::string_view kind, std::string_view name) = 0;
    virtual void number(std::string_view key, uint64_t value) = 0;
    virtual void signed_number(std::string_view key, int64_t value) = 0;
    virtual void flags(std::string_view key, uint32_t value) = 0;
    virtual void word(std::string_view key, std::string_view value) = 0;    // key=value
    virtual void quoted(std::string_view key, std::string_view value) = 0;  // key='value'
    virtual void begin_list(std::string_view key) = 0;
    virtual void item() = 0;
    virtual void item(std::string_view name) = 0;  // 'name', without a key
    virtual void text_only(std::string_view text) = 0;
    virtual void end() = 0;
};

// Both append to out, which the caller empties as it likes between records.
class TextSink : public RecordSink {
  public:
    explicit TextSink(fmt::memory_buffer &out) : out_(out) {}
    void begin(uint32_t id, std::string_view kind, std::string_view name) override;
    void number(std::string_view key, uint64_t value) override;
    void signed_number(std::string_view key, int64_t value) override;
    void flags(std::string_view key, uint32_t value) override;
    void word(std::string_view key, std::string_view value) override;
    void quoted(std::string_view key, std::string_view value) override;
    void begin_list(std::string_view key) override;
    void item() override;
    void item(std::string_view name) override;
    void text_only(std::string_view text) override;
    void end() override;

  private:
    std::string_view space();

    fmt::memory_buffer &out_;
    bool item_start_ = false;
};

// Objects, with a comma before each but the first.
class JsonSink : public RecordSink {
  public:
    explicit JsonSink(fmt::memory_buffer &out) : out_(out) {}
    void begin(uint32_t id, std::string_view kind, std::string_view name) override;
    void number(std::string_view key, uint64_t value) override;
    void signed_number(std::string_view key, int64_t value) override;
    void flags(std::string_view key, uint32_t value) override;
    void word(std::string_view key, std::string_view value) override;
    void quoted(std::string_view key, std::string_view value) override;
    void begin_list(std::string_view key) override;
    void item() override;
    void item(std::string_view name) override;
    void text_only(std::string_view text) override;
    void end() override;

  private:
    std::string_view comma();

    fmt::memory_buffer &out_;
    bool first_record_ = true;
    bool first_field_ = true;
    bool first_item_ = true;
    bool in_list_ = false;
};

// A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

}  // namespace btf_extra

#endif
