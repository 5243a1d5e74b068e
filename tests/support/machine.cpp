// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/machine.h"

#include <iterator>
#include <random>

namespace btf_extra::test {

namespace {

uint64_t mixed(uint64_t x) {  // this is splitmix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

}  // namespace

uint8_t Machine::byte_at(uint64_t address) const {
    if (memory_fill)
        return *memory_fill;
    const uint64_t word = mixed(memory_seed ^ (address >> 3)) & memory_mask;
    return static_cast<uint8_t>(word >> (8 * (address & 7)));
}

uint64_t Machine::load(uint64_t address, uint32_t bytes) const {
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        value |= uint64_t{byte_at(address + i)} << (8 * i);
    return value;
}

std::vector<Machine> machine_states(size_t count) {
    static constexpr uint64_t kEdges[] = {
        0,
        1,
        ~uint64_t{0},
        0x7f,
        0x80,
        0xff,
        0x100,
        0x7fff,
        0x8000,
        0xffff,
        0x7fffffff,
        0x80000000,
        0xffffffff,
        0x100000000,
        0x7fffffffffffffff,
        0x8000000000000000,
        0x8080808080808080,
        0x7f7f7f7f7f7f7f7f,
        0xffffffff80000000,
        0x00000000ffffff80,
        0xffffffffffffff7f,
        0xffffc90000003fff,  // last byte of a page
        0xffffc90000003ff9,
        0xfffffffffffffff9,  // a read of 8 bytes wraps
    };
    std::mt19937_64 random(20260929);
    std::vector<Machine> states;
    for (size_t i = 0; states.size() < count; i++) {
        Machine m;
        const bool edge = i < std::size(kEdges);
        // Counts and differences are small.
        static constexpr uint32_t kSmall[] = {4, 6, 8, 12, 16, 24};
        const uint64_t mask =
            i % 2 ? ~uint64_t{0} : (uint64_t{1} << kSmall[i / 2 % std::size(kSmall)]) - 1;
        for (uint32_t r = 0; r < m.registers.size(); r++) {
            const auto pick = [&] {
                return mask & (random() % 2 ? random() : kEdges[random() % std::size(kEdges)]);
            };
            m.registers[r] = edge ? kEdges[i] : pick();
            m.at_entry[r] = pick();
        }
        m.object_base = (random() & 0x3fffffff) << 12 | 0xffff800000000000;
        m.elsewhere_slide = random() << 12;
        m.memory_seed = random();
        if (!edge)
            m.memory_mask = mask;
        static constexpr uint8_t kFills[] = {0x00, 0xff, 0x80, 0x7f};
        if (edge && i % 2)
            m.memory_fill = kFills[i / 2 % std::size(kFills)];
        states.push_back(m);
    }
    return states;
}

}  // namespace btf_extra::test
