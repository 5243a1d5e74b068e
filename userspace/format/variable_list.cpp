// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/variable_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "userspace/format/byte_reader.h"
#include "userspace/format/byte_writer.h"
#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

constexpr uint32_t kMagic = 0x52565842;  // "BXVR"
constexpr uint32_t kVersion = 1;

// Numbers in a file are 0 for kNone.
uint64_t stored(uint32_t number) {
    return number == VariableList::kNone ? 0 : uint64_t{number} + 1;
}

class Decoder {
  public:
    explicit Decoder(std::span<const std::byte> bytes)
        : reader_({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}) {}

    Result<VariableList> run() {
        if (reader_.u32() != kMagic || reader_.u32() != kVersion)
            return error("not of this version");
        // A count may be any number, and each item takes at least a byte.
        for (uint64_t n = reader_.uleb(); n != 0 && !reader_.failed(); n--)
            TRY(add_file());
        for (uint64_t n = reader_.uleb(); n != 0 && !reader_.failed(); n--)
            TRY(add_section());
        for (uint64_t n = reader_.uleb(); n != 0 && !reader_.failed(); n--) {
            const uint32_t file = TRY(number(out_.files.size(), "file"));
            out_.var_files.push_back(file);
        }
        for (uint64_t n = reader_.uleb(); n != 0 && !reader_.failed(); n--)
            TRY(add_left_out());
        if (reader_.failed())
            return error("cut off");
        if (!reader_.at_end())
            return error("bytes after its end");
        return std::move(out_);
    }

  private:
    Error error(std::string_view what) const {
        return Error{fmt::format("byte {}: {}", reader_.offset(), what)};
    }
    Result<std::string> name() {
        const std::string_view text = reader_.string();
        if (plain_text_size(text.data(), static_cast<uint32_t>(text.size())) != text.size())
            return error("no plain text");
        return std::string(text);
    }
    // Reads a number that is less than count, or kNone.
    Result<uint32_t> number(size_t count, std::string_view what) {
        const uint64_t value = reader_.uleb();
        if (value > count)
            return error(fmt::format("{} number {} of {}", what, value - 1, count));
        return value == 0 ? VariableList::kNone : static_cast<uint32_t>(value - 1);
    }
    Result<void> add_file() {
        auto file = TRY(name());
        out_.files.push_back(std::move(file));
        return {};
    }
    Result<void> add_section() {
        auto section = TRY(name());
        out_.sections.push_back({std::move(section), reader_.uleb()});
        return {};
    }
    Result<void> add_left_out() {
        const std::string_view before =
            out_.left_out.empty() ? std::string_view() : out_.left_out.back().name;
        const uint64_t shared = reader_.uleb();
        if (shared > before.size())
            return error("name shares more than the one before has");
        const auto rest = TRY(name());
        VariableList::LeftOut left_out{.name = std::string(before.substr(0, shared)) + rest};
        // Each name may be as long as all before it together, so it is bounded.
        if (left_out.name.empty() || left_out.name.size() > BTF_FUNC_NAME_MAX)
            return error("name is empty or too long");
        if (before > left_out.name)
            return error("names are not in order");
        const uint64_t reason = reader_.uleb();
        if (reason < kVariableReasonFirst || reason > kVariableReasonLast)
            return error(fmt::format("reason code {} is not known", reason));
        left_out.reason = static_cast<VariableReason>(reason);
        left_out.file = TRY(number(out_.files.size(), "file"));
        left_out.section = TRY(number(out_.sections.size(), "section"));
        if (left_out.section != VariableList::kNone)
            left_out.offset = reader_.uleb();
        out_.left_out.push_back(std::move(left_out));
        return {};
    }

    ByteReader reader_;
    VariableList out_;
};

}  // namespace

std::string_view text(VariableReason reason) {
    // The first is that of kVariableReasonFirst; the others follow in order of number.
    static constexpr std::string_view kTexts[] = {"no symbol of its name",
                                                  "another symbol has its name",
                                                  "per-CPU",
                                                  "freed after boot",
                                                  "optimized out",
                                                  "computed or in pieces",
                                                  "type not in BTF",
                                                  "size contradicts"};
    const size_t number = static_cast<size_t>(reason) - kVariableReasonFirst;
    return number < std::size(kTexts) ? kTexts[number] : "unknown";
}

std::vector<std::byte> encode(const VariableList &variables) {
    ByteWriter out;
    out.item(kMagic);
    out.item(kVersion);
    out.uleb(variables.files.size());
    for (const std::string &file : variables.files)
        out.text(file);
    out.uleb(variables.sections.size());
    for (const VariableList::Section &section : variables.sections) {
        out.text(section.name);
        out.uleb(section.address);
    }
    out.uleb(variables.var_files.size());
    for (const uint32_t file : variables.var_files)
        out.uleb(stored(file));
    out.uleb(variables.left_out.size());
    std::string_view before;
    for (const VariableList::LeftOut &each : variables.left_out) {
        const auto [differs, end] = std::ranges::mismatch(each.name, before);
        const auto shared = static_cast<size_t>(differs - each.name.begin());
        out.uleb(shared);
        out.text(std::string_view(each.name).substr(shared));
        out.uleb(static_cast<uint64_t>(each.reason));
        out.uleb(stored(each.file));
        out.uleb(stored(each.section));
        if (each.section != VariableList::kNone)
            out.uleb(each.offset);
        before = each.name;
    }
    return out.take();
}

Result<VariableList> decode_variables(std::span<const std::byte> bytes) {
    return Decoder(bytes).run();
}

}  // namespace btf_extra
