// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/line_writer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

#include "userspace/format/byte_writer.h"
#include "userspace/format/line_section.h"

namespace btf_extra::generator {
namespace {

// A sequence of a unit, and where it is.
struct Code {
    uint32_t section = 0;
    uint64_t begin = 0;  // addresses
    uint64_t end = 0;
    uint32_t unit = 0;
    UnitLines::Sequence rows;

    auto order() const { return std::tuple(section, begin, end, unit, rows.first); }
};

class LineWriter {
  public:
    LineWriter(const std::vector<UnitLines> &units, std::span<const ElfSection> sections)
        : units_(units), sections_(sections) {}

    std::vector<std::byte> run() {
        find_code();
        number_files();
        for (size_t i = 0; i < code_.size(); ++i) {
            const Code &code = code_[i];
            if (i == 0 || code_[i - 1].section != code.section)
                begin_section(code.section);
            write_sequence(code);
            // Code that follows at once has a row of its own there.
            const bool goes_on = i + 1 < code_.size() && code_[i + 1].section == code.section &&
                                 code_[i + 1].begin == code.end;
            if (!goes_on)
                write_row(code.end, 0, 0);
        }
        return section();
    }

  private:
    void find_code();
    void number_files();
    void begin_section(uint32_t section);
    void write_sequence(const Code &code);
    void write_row(uint64_t address, uint32_t file, uint32_t line);
    std::vector<std::byte> section() const;

    const std::vector<UnitLines> &units_;
    std::span<const ElfSection> sections_;

    std::vector<Code> code_;  // in order, without overlaps
    std::vector<std::string_view> files_;
    std::vector<std::vector<uint32_t>> file_numbers_;  // number + 1, by unit and its number there
    ByteWriter strings_;
    std::vector<LinesSection> written_;
    std::vector<LinesBlock> blocks_;
    ByteWriter records_;
    uint32_t nr_rows_ = 0;

    // The row that was written last, and the section that it is in.
    uint64_t section_address_ = 0, address_ = 0;
    uint32_t file_ = 0, line_ = 0;
    RecentFiles recent_;
};

void LineWriter::find_code() {
    for (uint32_t u = 0; u < units_.size(); ++u)
        for (const UnitLines::Sequence &sequence : units_[u].sequences) {
            const uint64_t begin = units_[u].rows[sequence.first].address;
            const uint64_t end = units_[u].rows[sequence.end - 1].address;
            const auto number = executable_section(sections_, begin);
            if (!number)
                continue;
            const ElfSection &section = sections_[*number];
            if (end - section.address <= section.size && section.size <= UINT32_MAX)
                code_.push_back(
                    {.section = *number, .begin = begin, .end = end, .unit = u, .rows = sequence});
        }
    std::ranges::sort(code_, {}, &Code::order);
    uint64_t end = 0;
    std::erase_if(code_, [&](const Code &code) {
        const bool overlaps = code.begin < end;
        if (!overlaps)
            end = code.end;
        return overlaps;
    });
}

// The files with the most rows get the lowest numbers, which take the fewest bytes.
void LineWriter::number_files() {
    struct File {
        uint32_t rows = 0;
        uint32_t number = 0;
    };
    std::map<std::string_view, File> files;
    std::vector<std::vector<File *>> of_units(units_.size());
    for (size_t u = 0; u < units_.size(); ++u)
        for (const std::string &name : units_[u].files)
            of_units[u].push_back(&files[name]);
    for (const Code &code : code_)
        for (uint32_t n = code.rows.first; n + 1 < code.rows.end; ++n)
            if (const uint32_t file = units_[code.unit].rows[n].file; file != UnitLines::kNoFile)
                ++of_units[code.unit][file]->rows;
    std::vector<std::pair<std::string_view, File *>> order;
    for (auto &[name, file] : files)
        if (file.rows != 0)
            order.emplace_back(name, &file);
    std::ranges::stable_sort(order, std::greater(),
                             [](const auto &each) { return each.second->rows; });
    for (const auto &[name, file] : order) {
        files_.push_back(name);
        file->number = static_cast<uint32_t>(files_.size());
    }
    for (const auto &of_unit : of_units) {
        std::vector<uint32_t> &numbers = file_numbers_.emplace_back();
        for (const File *file : of_unit)
            numbers.push_back(file->number);
    }
}

void LineWriter::begin_section(uint32_t section) {
    written_.push_back({.name = strings_.text(sections_[section].name), .nr_rows = 0});
    section_address_ = sections_[section].address;
    file_ = line_ = 0;
}

void LineWriter::write_sequence(const Code &code) {
    const UnitLines &unit = units_[code.unit];
    for (uint32_t n = code.rows.first; n + 1 < code.rows.end; ++n) {
        const UnitLines::Row &row = unit.rows[n];
        if (row.file == UnitLines::kNoFile)
            write_row(row.address, 0, 0);
        else
            write_row(row.address, file_numbers_[code.unit][row.file], row.line);
    }
}

void LineWriter::write_row(uint64_t address, uint32_t file, uint32_t line) {
    uint32_t &nr_rows = written_.back().nr_rows;
    if (file == file_ && line == line_)
        return;
    if (nr_rows % kLineBlockRows == 0) {
        blocks_.push_back({.offset = static_cast<uint32_t>(address - section_address_),
                           .record = records_.size()});
        recent_ = {};
        address_ = address;
    }
    const uint64_t distance = (address - address_) << RecentFiles::kHeadBits;
    const uint32_t known = file != 0 ? recent_.find(file) : RecentFiles::kNewFile;
    records_.uleb(distance | known);
    if (known == RecentFiles::kNewFile) {
        records_.uleb(file);
        if (file != 0) {
            records_.uleb(line);
            recent_.add({.number = file, .line = line});
        }
    } else {
        uint32_t &last = recent_.use(known).line;
        records_.zigzag(int64_t{line} - int64_t{last});
        last = line;
    }
    address_ = address;
    file_ = file;
    line_ = line;
    ++nr_rows;
    ++nr_rows_;
}

std::vector<std::byte> LineWriter::section() const {
    ByteWriter strings = strings_;
    std::vector<uint32_t> files;
    for (const std::string_view name : files_)
        files.push_back(strings.text(name));
    strings.align(sizeof(uint32_t));
    ByteWriter out;
    out.item(LinesHeader{.magic = kLinesMagic,
                         .version = kLinesVersion,
                         .nr_sections = static_cast<uint32_t>(written_.size()),
                         .nr_blocks = static_cast<uint32_t>(blocks_.size()),
                         .nr_files = static_cast<uint32_t>(files.size()),
                         .strings_size = strings.size(),
                         .records_size = records_.size(),
                         .nr_rows = nr_rows_});
    out.items(written_);
    out.items(blocks_);
    out.items(files);
    out.items(strings.bytes());
    out.items(records_.bytes());
    return out.take();
}

}  // namespace

std::vector<std::byte> write_lines(const std::vector<UnitLines> &units,
                                   std::span<const ElfSection> sections) {
    return LineWriter(units, sections).run();
}

}  // namespace btf_extra::generator
