// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The bytes of the section `.btf_extra.lines`, which kernel/core/FORMAT.md describes.
#ifndef BTF_EXTRA_LINE_SECTION_H
#define BTF_EXTRA_LINE_SECTION_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace btf_extra {

inline constexpr uint32_t kLinesMagic = 0x4e4c5842;  // "BXLN"
inline constexpr uint32_t kLinesVersion = 1;
inline constexpr uint32_t kLineBlockRows = 64;

// Its sections, blocks, files (u32 each), strings and records follow it without gaps.
struct LinesHeader {
    uint32_t magic, version;
    uint32_t nr_sections, nr_blocks, nr_files;
    uint32_t strings_size;  // a multiple of 4
    uint32_t records_size;
    uint32_t nr_rows;
};

struct LinesSection {
    uint32_t name;  // in the strings
    uint32_t nr_rows;
};

// The first of kLineBlockRows rows of a section, of which the last block may have fewer.
struct LinesBlock {
    uint32_t offset;  // in the section
    uint32_t record;  // in the records
};

// The files of previous rows, the last one first, each with its last line. A row names one of them
// by the lower two bits of its head. kNewFile means that another number follows.
class RecentFiles {
  public:
    static constexpr uint32_t kCount = 3;
    static constexpr uint32_t kNewFile = kCount;
    static constexpr uint32_t kHeadBits = 2;

    struct File {
        uint32_t number = 0;  // 0: there is none
        uint32_t line = 0;
    };

    // Returns kNewFile if the file is not among them.
    uint32_t find(uint32_t number) const {
        return static_cast<uint32_t>(std::ranges::find(files_, number, &File::number) -
                                     files_.begin());
    }
    // Makes one of them the first, and returns it.
    File &use(uint32_t n) {
        std::rotate(files_.begin(), files_.begin() + n, files_.begin() + n + 1);
        return files_.front();
    }
    // Puts a file in the place of the last one, and makes it the first.
    void add(File file) {
        files_.back() = file;
        use(kCount - 1);
    }

  private:
    std::array<File, kCount> files_{};
};

}  // namespace btf_extra

#endif
