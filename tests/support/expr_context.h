// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A made-up place for expressions. Everything that an ExprContext is asked for is a public member,
// and its default is the value that the rows of the tests expect.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "userspace/generator/locations/expr_context.h"

namespace btf_extra::test {

using namespace generator;

// Offsets of base types in the unit. Each is two bytes of ULEB128.
enum : uint64_t {
    kS1 = 0x91,
    kU1 = 0x92,
    kS2 = 0x93,
    kU2 = 0x94,
    kS4 = 0x95,
    kU4 = 0x96,
    kS8 = 0x97,
    kU8 = 0x98,
    kS16 = 0x99,
    kFloat4 = 0x9a,
    kFloat8 = 0x9b,
    kBit = 0x9c,
    kNoType = 0x9d,
};

// Link addresses. Those in [kText, kTextEnd) move with the object, and those below kPerCpuEnd are
// fixed. All others have no fixed distance to the object.
constexpr uint64_t kPerCpuEnd = 0x40000;
constexpr uint64_t kText = 0xffffffff81000000;
constexpr uint64_t kTextEnd = 0xffffffff83000000;
constexpr uint64_t kFreed = 0xffffffff82800000;  // from here on nothing is read
constexpr uint64_t kElsewhere = 0xffffffffc0000000;

class TestContext : public ExprContext {
  public:
    std::optional<RegisterOffset> cfa = RegisterOffset{.reg = 7, .offset = 16};
    std::vector<uint8_t> frame_base_bytes = {0x9c};  // DW_OP_call_frame_cfa
    bool at_entry = false;
    std::map<uint64_t, uint64_t> debug_addr = {
        {0, kText + 0x1000}, {1, 0x2000}, {2, kElsewhere}, {200, kText + 0x20}};
    std::map<uint64_t, BaseType> base_types = {
        {kS1, {.size = 1, .is_integer = true, .is_signed = true}},
        {kU1, {.size = 1, .is_integer = true, .is_signed = false}},
        {kS2, {.size = 2, .is_integer = true, .is_signed = true}},
        {kU2, {.size = 2, .is_integer = true, .is_signed = false}},
        {kS4, {.size = 4, .is_integer = true, .is_signed = true}},
        {kU4, {.size = 4, .is_integer = true, .is_signed = false}},
        {kS8, {.size = 8, .is_integer = true, .is_signed = true}},
        {kU8, {.size = 8, .is_integer = true, .is_signed = false}},
        {kS16, {.size = 16, .is_integer = true, .is_signed = true}},
        {kFloat4, {.size = 4, .is_integer = false, .is_signed = true}},
        {kBit, {.size = 1, .bits = 1, .is_integer = true, .is_signed = false}},
        {kFloat8, {.size = 8, .is_integer = false, .is_signed = true}},
    };

    std::optional<RegisterOffset> call_frame_cfa() override { return cfa; }
    std::span<const uint8_t> frame_base() override { return frame_base_bytes; }
    bool at_function_entry() const override { return at_entry; }
    std::optional<uint64_t> indexed_address(uint64_t index) override {
        return find(debug_addr, index);
    }
    std::optional<BaseType> base_type(uint64_t unit_offset) override {
        return find(base_types, unit_offset);
    }
    AddressConstant address_constant(uint64_t link_address) override {
        if (link_address >= kText && link_address < kTextEnd)
            return {.kind = AddressConstant::kMoves,
                    .value = link_address - kText,
                    .is_memory = link_address < kFreed};
        if (link_address < kPerCpuEnd)
            return {.kind = AddressConstant::kFixed, .value = link_address};
        return {};
    }

  private:
    template <class T>
    static std::optional<T> find(const std::map<uint64_t, T> &map, uint64_t key) {
        const auto found = map.find(key);
        return found == map.end() ? std::nullopt : std::optional<T>(found->second);
    }
};

}  // namespace btf_extra::test
