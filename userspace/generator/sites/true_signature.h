// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What is still passed to a body whose signature the compiler changed (foo.isra.0): parameters that
// go, arguments that become a part of what they were. DWARF keeps the prototype of the source, and
// tells where each parameter is at the entry of the body.
#ifndef BTF_EXTRA_TRUE_SIGNATURE_H
#define BTF_EXTRA_TRUE_SIGNATURE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "userspace/generator/model/site_model.h"

namespace btf_extra::generator {

// Whether a symbol is of a body that may have another signature than its source; result_lost: also
// another result.
struct SignatureChange {
    bool params = false;
    bool result = false;
};
SignatureChange signature_change(std::string_view suffixes);

// Bytes of a parameter in a register.
struct RegisterPart {
    uint32_t offset = 0;
    uint32_t size = 0;
    uint32_t reg = 0;  // DWARF number
};

// The parts of a value of that many bytes, by a location of pieces; nullopt: one is elsewhere.
std::optional<std::vector<RegisterPart>> register_parts(std::span<const uint8_t> expression,
                                                        uint64_t size);

// A parameter of the source, at the entry of the body.
struct EntryParam {
    enum Shape : uint8_t {
        kScalar,     // it is passed as it is, or not at all
        kPointer,    // what it points to may be passed instead
        kAggregate,  // parts of it may be
    };
    Shape shape = kAggregate;
    uint64_t size = 0;
    Location location;
    std::vector<RegisterPart> parts;  // where the location is pieces, and these are known
};

// An argument that is passed.
struct Argument {
    uint32_t position = 0;  // of the parameter in the prototype
    RegisterPart part;      // all of a parameter: its first register
    bool whole = true;
};

struct TrueSignature {
    std::vector<Argument> arguments;
    uint32_t nr_registers = 0;  // that they take
    // DWARF leaves open whether something follows in further registers: a pointer or an aggregate
    // that is not there may have been replaced by what it led to, without a word.
    bool maybe_incomplete = false;
};

// nullopt: the arguments are not the first integer registers of the ABI, in order, or it is not
// known that they are.
std::optional<TrueSignature> true_signature(uint16_t machine, std::span<const EntryParam> params);

// The DWARF numbers of the ABI's integer argument registers, in order.
std::span<const uint32_t> argument_registers(uint16_t machine);

}  // namespace btf_extra::generator

#endif
