// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/line_table.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "userspace/format/byte_reader.h"
#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

struct Row {
    uint32_t offset = 0;
    uint32_t file = 0;  // number + 1; 0: not known
    uint32_t line = 0;
};

// Reads the rows of a block, one after the other.
class RowReader {
  public:
    RowReader(std::span<const uint8_t> records, const LinesBlock &block, uint32_t nr_files)
        : reader_(records, block.record), offset_(block.offset), nr_files_(nr_files) {}

    // Returns nothing if the record is malformed.
    std::optional<Row> next() {
        const uint64_t head = reader_.uleb();
        const auto file = static_cast<uint32_t>(head) & ((1u << RecentFiles::kHeadBits) - 1);
        offset_ += head >> RecentFiles::kHeadBits;
        Row row{.offset = static_cast<uint32_t>(offset_)};
        if (!(file == RecentFiles::kNewFile ? read_new_file(row) : read_known_file(file, row)))
            return {};
        if (reader_.failed() || head > UINT32_MAX || offset_ > UINT32_MAX)
            return {};
        return row;
    }
    uint64_t position() const { return reader_.offset(); }

  private:
    bool read_new_file(Row &row) {
        const uint64_t number = reader_.uleb();
        const uint64_t line = number != 0 ? reader_.uleb() : 0;
        if (number > nr_files_ || line > UINT32_MAX)
            return false;
        row.file = static_cast<uint32_t>(number);
        row.line = static_cast<uint32_t>(line);
        if (number != 0)
            recent_.add({.number = row.file, .line = row.line});
        return true;
    }
    bool read_known_file(uint32_t n, Row &row) {
        RecentFiles::File &file = recent_.use(n);
        file.line += static_cast<uint32_t>(reader_.zigzag());
        row.file = file.number;
        row.line = file.line;
        return file.number != 0;
    }

    ByteReader reader_;
    RecentFiles recent_;
    uint64_t offset_;
    uint32_t nr_files_;
};

template <class T> std::span<const T> take(std::span<const std::byte> &bytes, uint32_t count) {
    const auto *begin = reinterpret_cast<const T *>(bytes.data());
    bytes = bytes.subspan(count * sizeof(T));
    return {begin, count};
}

uint32_t blocks_of(uint32_t nr_rows) {
    return nr_rows / kLineBlockRows + (nr_rows % kLineBlockRows != 0 ? 1 : 0);
}

}  // namespace

Error LineTable::error(const void *at, std::string_view what) const {
    return Error{fmt::format("byte {}: {}", static_cast<const std::byte *>(at) - begin_, what)};
}

Result<void> LineTable::take_parts(std::span<const std::byte> bytes) {
    begin_ = bytes.data();
    if (bytes.size() < sizeof(header_))
        return error(begin_, "cut off in its header");
    std::memcpy(&header_, bytes.data(), sizeof(header_));
    if (header_.magic != kLinesMagic || header_.version != kLinesVersion)
        return error(begin_, "not of this version");
    const uint64_t size = sizeof(header_) + uint64_t{header_.nr_sections} * sizeof(LinesSection) +
                          uint64_t{header_.nr_blocks} * sizeof(LinesBlock) +
                          uint64_t{header_.nr_files} * sizeof(uint32_t) +
                          uint64_t{header_.strings_size} + uint64_t{header_.records_size};
    if (size != bytes.size() || header_.strings_size % sizeof(uint32_t) != 0)
        return error(begin_, fmt::format("{} bytes, but its header needs {}", bytes.size(), size));
    bytes = bytes.subspan(sizeof(header_));
    counts_ = take<LinesSection>(bytes, header_.nr_sections);
    blocks_ = take<LinesBlock>(bytes, header_.nr_blocks);
    files_ = take<uint32_t>(bytes, header_.nr_files);
    const auto strings = take<char>(bytes, header_.strings_size);
    strings_ = {strings.data(), strings.size()};
    records_ = take<uint8_t>(bytes, header_.records_size);
    return {};
}

std::optional<std::string_view> LineTable::string(uint32_t at) const {
    if (at >= strings_.size() || strings_[at] == 0)
        return {};
    return strings_.substr(at, strings_.find('\0', at) - at);
}

Result<void> LineTable::check_names() const {
    if (!strings_.empty() && strings_.back() != 0)
        return error(strings_.data(), "the last string has no end");
    if (const uint32_t text = plain_text_size(strings_.data(), header_.strings_size);
        text != header_.strings_size)
        return error(strings_.data() + text, "no plain text");
    for (const uint32_t &file : files_)
        if (!string(file))
            return error(&file, "not the name of a file");
    return {};
}

Result<void> LineTable::take_sections() {
    std::span<const LinesBlock> rest = blocks_;
    for (const LinesSection &each : counts_) {
        const auto name = string(each.name);
        if (!name || std::ranges::find(sections_, *name, &Section::name) != sections_.end())
            return error(&each, "not the name of another section");
        const uint32_t nr_blocks = blocks_of(each.nr_rows);
        if (nr_blocks > rest.size())
            return error(&each, "more rows than there are blocks for");
        sections_.push_back(
            {.name = *name, .blocks = rest.first(nr_blocks), .nr_rows = each.nr_rows});
        rest = rest.subspan(nr_blocks);
    }
    if (!rest.empty())
        return error(rest.data(), "a block of no section");
    return {};
}

// Rows of a section are in ascending order, and nothing is between the records.
Result<void> LineTable::check_rows() const {
    uint64_t position = 0;
    uint64_t nr_rows = 0;
    for (const Section &section : sections_) {
        std::optional<Row> before;
        for (uint32_t i = 0; i < section.nr_rows;) {
            const LinesBlock &block = section.blocks[i / kLineBlockRows];
            if (block.record != position || position == records_.size() || records_[position] > 3)
                return error(&block, "not where the records before it end");
            RowReader rows(records_, block, header_.nr_files);
            const uint32_t end = std::min(section.nr_rows, i + kLineBlockRows);
            for (; i < end; i++) {
                const auto row = rows.next();
                if (!row || (before && row->offset <= before->offset))
                    return error(records_.data() + position, "not a valid row");
                before = row;
                position = rows.position();
            }
        }
        // The last row has no file: nothing is known of the code beyond the section.
        if (!before || before->file != 0)
            return error(records_.data() + position, "the last row of a section has a file");
        nr_rows += section.nr_rows;
    }
    if (nr_rows != header_.nr_rows || position != records_.size())
        return error(begin_, "rows that its header does not have");
    return {};
}

Result<LineTable> LineTable::open(std::span<const std::byte> bytes) {
    LineTable out;
    TRY(out.take_parts(bytes));
    TRY(out.check_names());
    TRY(out.take_sections());
    TRY(out.check_rows());
    return out;
}

std::optional<SourceLine> LineTable::find(std::string_view section, uint64_t offset) const {
    const auto wanted = std::ranges::find(sections_, section, &Section::name);
    if (wanted == sections_.end())
        return {};
    const auto above = std::ranges::upper_bound(wanted->blocks, offset, {}, &LinesBlock::offset);
    if (above == wanted->blocks.begin())
        return {};
    const auto block = static_cast<uint32_t>(above - wanted->blocks.begin()) - 1;
    uint32_t nr = std::min(kLineBlockRows, wanted->nr_rows - block * kLineBlockRows);
    RowReader rows(records_, wanted->blocks[block], header_.nr_files);
    Row found;
    for (; nr != 0; nr--) {
        const auto row = rows.next();
        if (!row || row->offset > offset)
            break;
        found = *row;
    }
    if (found.file == 0)
        return {};
    return SourceLine{.file = *string(files_[found.file - 1]), .line = found.line};
}

}  // namespace btf_extra
