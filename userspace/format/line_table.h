// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the section `.btf_extra.lines` of a .btf_extra file: which line of the source an
// instruction is of. Tools alone read it.
#ifndef BTF_EXTRA_LINE_TABLE_H
#define BTF_EXTRA_LINE_TABLE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "userspace/format/line_section.h"
#include "userspace/format/result.h"

namespace btf_extra {

struct SourceLine {
    std::string_view file;  // lives as long as the bytes of the section
    uint32_t line = 0;      // 0: the compiler has made the instruction, for no line
};

class LineTable {
  public:
    // Checks all of the section, whose bytes must stay. Errors name the byte, not the file.
    static Result<LineTable> open(std::span<const std::byte> bytes);

    uint32_t rows() const { return header_.nr_rows; }

    // Returns the line of the instruction at an offset of an ELF section, or nothing if it is not
    // known.
    std::optional<SourceLine> find(std::string_view section, uint64_t offset) const;

  private:
    struct Section {
        std::string_view name;
        std::span<const LinesBlock> blocks;
        uint32_t nr_rows = 0;
    };

    Result<void> take_parts(std::span<const std::byte> bytes);
    Result<void> check_names() const;
    Result<void> take_sections();
    Result<void> check_rows() const;
    std::optional<std::string_view> string(uint32_t at) const;
    Error error(const void *at, std::string_view what) const;

    const std::byte *begin_ = nullptr;
    LinesHeader header_{};
    std::span<const LinesSection> counts_;
    std::span<const LinesBlock> blocks_;
    std::span<const uint32_t> files_;
    std::string_view strings_;
    std::span<const uint8_t> records_;
    std::vector<Section> sections_;
};

}  // namespace btf_extra

#endif
