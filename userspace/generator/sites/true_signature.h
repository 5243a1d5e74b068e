// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds what is still passed to a body whose signature the compiler changed (foo.isra.0): some
// parameters are no longer passed, of others only a part. DWARF keeps the prototype of the source,
// and says where each parameter is at the entry of the body.
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

// Says of a symbol which parts of the signature may differ from the source.
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

// Returns the parts of a value of size bytes, by a location of pieces. nullopt: a part is not in a
// register.
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
    std::vector<RegisterPart> parts;  // if the location is pieces in registers
};

// An argument that is passed.
struct Argument {
    uint32_t position = 0;  // of the parameter in the prototype
    RegisterPart part;      // if it is whole: its first register
    bool whole = true;
};

struct TrueSignature {
    std::vector<Argument> arguments;
    uint32_t nr_registers = 0;  // that they take
    // DWARF leaves open whether something follows in further registers: the compiler may have
    // replaced a pointer by what it leads to, or an aggregate by members, and DWARF does not say
    // so.
    bool maybe_incomplete = false;
};

// machine: one that loc_arch_of() knows. nullopt: it is not known that the arguments are in the
// first integer registers of the ABI, in order.
std::optional<TrueSignature> true_signature(uint16_t machine, std::span<const EntryParam> params);

}  // namespace btf_extra::generator

#endif
