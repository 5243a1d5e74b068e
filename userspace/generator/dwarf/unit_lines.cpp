// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/unit_lines.h"

#include <algorithm>
#include <optional>

#include "userspace/generator/dwarf/code_place.h"
#include "userspace/generator/dwarf/line_program.h"

namespace btf_extra::generator {
namespace {

class LineReader {
  public:
    LineReader(const DebugSections &sections, const Unit &unit, const std::vector<CodeRange> &code,
               const SourceTree &tree)
        : sections_(sections), unit_(unit), code_(code), tree_(tree),
          written_(file_table(sections, unit)), numbers_(written_.size()) {}

    UnitLines run() {
        for_each_row(sections_, unit_, [&](const LineRow &row) { add(row); });
        return std::move(lines_);
    }

  private:
    void add(const LineRow &row) {
        const uint64_t address = row.point.address;
        in_order_ &= rows_.empty() || address >= last_address_;
        last_address_ = address;
        // The last row at an address holds for its instruction, and the others hold for none.
        if (!rows_.empty() && rows_.back().address == address)
            rows_.pop_back();
        UnitLines::Row next{.address = address};
        if (!row.ends)
            next.file = number_of(row.place.file);
        if (next.file != UnitLines::kNoFile)
            next.line = static_cast<uint32_t>(row.place.line);
        const bool repeats =
            !rows_.empty() && rows_.back().file == next.file && rows_.back().line == next.line;
        if (!repeats || row.ends)
            rows_.push_back(next);
        if (row.ends)
            end_sequence();
    }
    void end_sequence() {
        if (in_order_ && rows_.size() > 1) {
            const CodeRange whole{rows_.front().address, rows_.back().address};
            for (const CodeRange &range : code_)
                keep({std::max(range.begin, whole.begin), std::min(range.end, whole.end)});
        }
        rows_.clear();
        in_order_ = true;
    }
    // Keeps the rows of a part of the sequence. Assemblers fill gaps between functions, and give
    // them the line before; they are not in the code of the unit.
    void keep(const CodeRange &part) {
        if (part.begin >= part.end)
            return;
        UnitLines::Sequence sequence{.first = static_cast<uint32_t>(lines_.rows.size())};
        auto row = std::ranges::upper_bound(rows_, part.begin, {}, &UnitLines::Row::address) - 1;
        for (; row->address < part.end; ++row) {
            lines_.rows.push_back(*row);
            lines_.rows.back().address = std::max(row->address, part.begin);
        }
        lines_.rows.push_back({.address = part.end});
        sequence.end = static_cast<uint32_t>(lines_.rows.size());
        lines_.sequences.push_back(sequence);
    }
    uint32_t number_of(uint64_t written) {
        if (written >= written_.size() || written_[written].empty())
            return UnitLines::kNoFile;
        std::optional<uint32_t> &number = numbers_[written];
        if (!number) {
            number = static_cast<uint32_t>(lines_.files.size());
            lines_.files.push_back(tree_.relative(written_[written]));
        }
        return *number;
    }

    const DebugSections &sections_;
    const Unit &unit_;
    const std::vector<CodeRange> &code_;
    const SourceTree &tree_;
    const std::vector<std::string> written_;
    std::vector<std::optional<uint32_t>> numbers_;  // by number in written_
    UnitLines lines_;
    std::vector<UnitLines::Row> rows_;  // of the sequence that is being read
    bool in_order_ = true;
    uint64_t last_address_ = 0;
};

}  // namespace

std::vector<CodeRange> code_of(const DebugSections &sections, const Unit &unit) {
    CodePlace place;
    std::vector<CodeRange> ranges;
    unit.for_each_attribute(unit.unit_die(), [&](uint16_t name, const AttributeValue &value) {
        place.set(name, value);
    });
    place.append_ranges(sections, unit, ranges);
    join(ranges);
    return ranges;
}

UnitLines read_unit_lines(const DebugSections &sections, const Unit &unit,
                          const std::vector<CodeRange> &code, const SourceTree &tree) {
    return LineReader(sections, unit, code, tree).run();
}

}  // namespace btf_extra::generator
