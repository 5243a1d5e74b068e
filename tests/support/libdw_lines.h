// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Asks libdw which line of the source an instruction of a linked kernel is of. This is a second
// witness, which shares no code with the generator: libdw reads the line programs, finds the unit
// by .debug_aranges, and searches its rows.
#ifndef BTF_EXTRA_TESTS_LIBDW_LINES_H
#define BTF_EXTRA_TESTS_LIBDW_LINES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <elfutils/libdw.h>

namespace btf_extra::test {

struct LibdwLine {
    std::string file;  // as it is written
    uint32_t line = 0;
    // The row stands where a sequence ends. libdw (elfutils 0.188) sorts it after that end, and
    // then takes it for code that is between two sequences (energy_model.c of 6.1).
    bool at_end = false;
};

class LibdwLines {
  public:
    // Throws std::runtime_error.
    explicit LibdwLines(const std::string &path);
    ~LibdwLines();
    LibdwLines(const LibdwLines &) = delete;
    LibdwLines &operator=(const LibdwLines &) = delete;

    std::optional<LibdwLine> at(uint64_t address) const;
    // The addresses of all rows, in no order.
    const std::vector<uint64_t> &rows() const { return rows_; }

  private:
    int fd_ = -1;
    Dwarf *dwarf_ = nullptr;
    std::vector<uint64_t> rows_;
    std::vector<uint64_t> ends_;  // of sequences, in order
};

}  // namespace btf_extra::test

#endif
