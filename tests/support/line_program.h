// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Line programs (.debug_line) that tests write by hand.
#ifndef BTF_EXTRA_TESTS_LINE_PROGRAM_H
#define BTF_EXTRA_TESTS_LINE_PROGRAM_H

#include <cstdint>
#include <iterator>
#include <vector>

namespace btf_extra::test {

using Code = std::vector<uint8_t>;

// The header has line_base -5, line_range 14, opcode_base 13 and is_stmt by default, as gas and
// LLVM write it. tables are those of folders and files. A special opcode is (lines + 5) + 14 *
// addresses + 13.
inline Code program(const Code &operations, uint16_t version = 5, uint8_t line_range = 14,
                    uint8_t opcode_base = 13, const Code &tables = {}) {
    Code header{1};  // minimum_instruction_length
    if (version >= 4)
        header.push_back(1);
    for (const uint8_t byte : {uint8_t{1}, uint8_t{0xfb}, line_range, opcode_base})
        header.push_back(byte);
    const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    for (uint8_t i = 0; i + 1 < opcode_base; i++)
        header.push_back(i < sizeof operands ? operands[i] : 2);
    header.insert(header.end(), tables.begin(), tables.end());
    Code out{0, 0, 0, 0, static_cast<uint8_t>(version), 0};
    if (version >= 5)
        out.insert(out.end(), {8, 0});
    out.insert(out.end(), {static_cast<uint8_t>(header.size()), 0, 0, 0});
    out.insert(out.end(), header.begin(), header.end());
    out.insert(out.end(), operations.begin(), operations.end());
    out[0] = static_cast<uint8_t>(out.size() - 4);
    return out;
}

inline constexpr uint8_t kSetAddress[] = {0, 9, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0};  // 0x1000

inline Code at_1000(const Code &operations) {
    Code out(std::begin(kSetAddress), std::end(kSetAddress));
    out.insert(out.end(), operations.begin(), operations.end());
    return out;
}

}  // namespace btf_extra::test

#endif
