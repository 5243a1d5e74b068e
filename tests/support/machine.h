// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A concrete machine, on which locations have values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace btf_extra::test {

// Returns the low 1..8 bytes of a number, extended to 64 bits.
inline uint64_t low_bytes(uint64_t value, uint32_t bytes) {
    return bytes >= 8 ? value : value & ((uint64_t{1} << (8 * bytes)) - 1);
}

inline uint64_t sign_extended(uint64_t value, uint32_t bytes) {
    if (bytes >= 8)
        return value;
    const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
    return (low_bytes(value, bytes) ^ sign) - sign;
}

// A little-endian machine with 32 registers of 64 bits and 2^64 bytes of memory.
struct Machine {
    std::array<uint64_t, 32> registers{};  // values before the instruction at the site
    std::array<uint64_t, 32>
        at_entry{};                // values at the entry of the function around it; different
    uint64_t object_base = 0;      // run-time address of what was linked at kText
    uint64_t elsewhere_slide = 0;  // slide of what has no fixed distance to the object
    uint64_t memory_seed = 0;
    std::optional<uint8_t> memory_fill;   // every byte of the memory has this value
    uint64_t memory_mask = ~uint64_t{0};  // of each aligned word

    uint8_t byte_at(uint64_t address) const;
    uint64_t load(uint64_t address, uint32_t bytes) const;
};

// Returns edge states first, then states of random and mixed values, of which every second one is
// small. They are the same every time.
std::vector<Machine> machine_states(size_t count);

}  // namespace btf_extra::test
