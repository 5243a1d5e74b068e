// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Decodes one location of one parameter with libdw: into its plain shape in the wire format, or
// into its values on concrete machines. Written from the standard and from the description of the
// wire format; it shares no code with the generator.
#ifndef BTF_EXTRA_TESTS_LIBDW_LOCATION_H
#define BTF_EXTRA_TESTS_LIBDW_LOCATION_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <elfutils/libdw.h>

#include "tests/support/dwarf_evaluator.h"

namespace btf_extra::test {

constexpr uint64_t kRegisters = 17;  // registers of x86-64 in the wire format: rax..r15, rip

// A LOC_PARAM record.
struct PlainLocation {
    uint32_t size = 0;
    uint32_t flags = 0;
    std::vector<uint32_t> values;

    bool operator==(const PlainLocation &) const = default;
};

// The operations of one expression. libdw decoded them from attribute.
struct LocationOps {
    Dwarf_Attribute *attribute = nullptr;
    std::span<Dwarf_Op> ops;
};

using ParamValue = std::array<uint8_t, 16>;  // bytes past the parameter's size are 0

// Returns the place of a parameter of size bytes, 1..16, or nullopt if it has no plain shape.
std::optional<PlainLocation> plain_location(const LocationOps &location, uint64_t size,
                                            const LocationPlace &place);
// Returns DW_AT_const_value as the location of such a parameter.
std::optional<PlainLocation> plain_constant(uint64_t number, uint64_t size);

// Returns the value on each of the machines, if DWARF defines it there; empty: on none.
std::vector<std::optional<ParamValue>> location_values(const LocationOps &location, uint64_t size,
                                                       const LocationPlace &place,
                                                       std::span<const Machine> machines);

}  // namespace btf_extra::test

#endif
