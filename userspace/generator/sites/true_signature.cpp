// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/true_signature.h"

#include <dwarf.h>

#include "userspace/format/byte_reader.h"
#include "userspace/format/core_api.h"

namespace btf_extra::generator {

namespace {

// The ways to pass a parameter.
enum class Passing {
    kNotAtAll,
    kPerhapsNot,  // a scalar without location; it is not passed if others have a location
    kInRegisters,
    kElsewhere,
    kUnknown,
};

Passing passing_of_missing(const EntryParam &param) {
    const bool scalar = param.shape == EntryParam::kScalar;
    switch (param.location.reason) {
    case MissingReason::kParameterReference:
        // Callers know the value. Instead of a pointer they may pass what it leads to.
        return scalar ? Passing::kNotAtAll : Passing::kUnknown;
    case MissingReason::kOptimizedOut:
    case MissingReason::kNoLocationHere:
        return scalar ? Passing::kPerhapsNot : Passing::kUnknown;
    case MissingReason::kPieces:
        return param.parts.empty() ? Passing::kElsewhere : Passing::kInRegisters;
    case MissingReason::kStaticMemory:
    case MissingReason::kSize:
        return Passing::kElsewhere;
    default:
        return Passing::kUnknown;
    }
}

Passing passing_of(const EntryParam &param) {
    if (!param.location.available())
        return passing_of_missing(param);
    const LocParam &where = param.location.param;
    if (where.flags & LOC_CONST)
        return Passing::kNotAtAll;
    const bool pair = where.vlen == 2;
    if (where.flags != LOC_REG || where.size != param.size ||
        (pair && param.shape != EntryParam::kAggregate))
        return Passing::kElsewhere;
    return Passing::kInRegisters;
}

}  // namespace

SignatureChange signature_change(std::string_view suffixes) {
    const uint32_t meaning =
        func_suffix_meaning(suffixes.data(), static_cast<uint32_t>(suffixes.size()));
    // Cold code is jumped to, and has no signature.
    if (meaning & FUNC_SUFFIX_COLD)
        return {};
    // A split remainder gets the parameters that it reads. It may return nothing.
    return {.params = (meaning & (FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_PART)) != 0,
            .result = (meaning & (FUNC_SUFFIX_RESULT | FUNC_SUFFIX_PART)) != 0};
}

std::optional<std::vector<RegisterPart>> register_parts(std::span<const uint8_t> expression,
                                                        uint64_t size) {
    std::vector<RegisterPart> parts;
    ByteReader reader(expression, 0);
    uint64_t offset = 0;
    while (!reader.at_end()) {
        uint8_t op = reader.u8();
        std::optional<uint32_t> reg;
        if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
            reg = op - DW_OP_reg0;
            op = reader.u8();
        }
        const uint64_t bytes = op == DW_OP_piece ? reader.uleb() : 0;
        if (reader.failed() || bytes == 0 || bytes > size - offset)
            return std::nullopt;
        if (reg && bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
            return std::nullopt;
        if (reg)
            parts.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), *reg});
        offset += bytes;
    }
    return parts;
}

std::optional<TrueSignature> true_signature(uint16_t machine, std::span<const EntryParam> params) {
    const loc_arch *arch = loc_arch_of(machine);
    TrueSignature found;
    bool scalar_without_trace = false;
    const auto takes = [&](uint32_t reg) {
        return found.nr_registers < arch->nr_arguments &&
               arch->arguments[found.nr_registers++] == reg;
    };
    for (uint32_t position = 0; position < params.size(); ++position) {
        const EntryParam &param = params[position];
        switch (passing_of(param)) {
        case Passing::kNotAtAll:
            break;
        case Passing::kPerhapsNot:
            scalar_without_trace = true;
            break;
        case Passing::kUnknown:
            found.maybe_incomplete = true;
            break;
        case Passing::kElsewhere:
            return std::nullopt;
        case Passing::kInRegisters:
            // The parameters before it then take no register.
            found.maybe_incomplete = false;
            if (param.location.available()) {
                const LocParam &where = param.location.param;
                for (uint32_t i = 0; i < where.vlen; ++i)
                    if (!takes(where.values[i]))
                        return std::nullopt;
                found.arguments.push_back({position, {0, where.size, where.values[0]}, true});
                break;
            }
            for (const RegisterPart &part : param.parts) {
                if (!takes(part.reg))
                    return std::nullopt;
                found.arguments.push_back({position, part, false});
            }
            found.maybe_incomplete = true;  // the location does not show all
            break;
        }
    }
    found.maybe_incomplete |= found.arguments.empty() && scalar_without_trace;
    return found;
}

}  // namespace btf_extra::generator
