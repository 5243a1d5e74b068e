// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads with libdw which functions each address of a linked kernel is in. This is a second witness,
// which shares no code and no rule with the generator: it does not clip ranges, and the innermost
// function at an address is the one that is nested deepest.
#ifndef BTF_EXTRA_TESTS_LIBDW_FRAMES_H
#define BTF_EXTRA_TESTS_LIBDW_FRAMES_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace btf_extra::test {

struct LibdwFrame {
    std::string name;
    std::string call_file;  // as it is written; empty: none, or a body
    uint32_t call_line = 0;

    bool operator==(const LibdwFrame &) const = default;
};

class LibdwFrames {
  public:
    // Throws std::runtime_error.
    explicit LibdwFrames(const std::string &path);
    ~LibdwFrames();
    LibdwFrames(const LibdwFrames &) = delete;
    LibdwFrames &operator=(const LibdwFrames &) = delete;

    // Innermost first, the body last. Empty: the address is in no body.
    std::vector<LibdwFrame> at(uint64_t address) const;
    // The first and the last address of each range of each instance, and those beside them.
    std::vector<uint64_t> edges() const;
    uint64_t instances() const;

  private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace btf_extra::test

#endif
