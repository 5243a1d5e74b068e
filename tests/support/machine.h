// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A concrete machine, on which locations have values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace btf_extra::test {

// The low bytes of a number, 1..8 of them, extended to 64 bits.
inline uint64_t low_bytes(uint64_t value, uint32_t bytes) {
    return bytes >= 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

inline uint64_t sign_extended(uint64_t value, uint32_t bytes) {
    if (bytes >= 8)
        return value;
    const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
    return (low_bytes(value, bytes) ^ sign) - sign;
}

// Little-endian, with 32 registers of 64 bits and 2^64 bytes of memory.
struct Machine {
    std::array<uint64_t, 32> registers{};  // before the instruction at the site
    std::array<uint64_t, 32> at_entry{};   // on entry to the containing function, elsewhere
    uint64_t object_base = 0;              // run-time address of what was linked at kText
    uint64_t elsewhere_slide = 0;          // of what has no fixed distance to it
    uint64_t memory_seed = 0;
    std::optional<uint8_t> memory_fill;  // all memory holds this byte

    uint8_t byte_at(uint64_t address) const;
    uint64_t load(uint64_t address, uint32_t bytes) const;
};

// Edge states first, then states of random and mixed values. The same every time.
std::vector<Machine> machine_states(size_t count);

}  // namespace btf_extra::test
