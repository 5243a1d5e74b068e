// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The section `.btf_extra.provenance` of a .btf_extra file. It has what the generator knows and the
// wire format does not store. The kernel does not use it.
#ifndef BTF_EXTRA_PROVENANCE_H
#define BTF_EXTRA_PROVENANCE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra {

// The reason why a parameter has no location. Files contain these numbers: add new ones, and never
// change one.
enum class MissingReason : uint8_t {
    kOptimizedOut = 1,
    kNoLocationHere,
    kArithmetic,
    kImplicitPointer,
    kEntryValue,
    kStaticMemory,
    kPieces,
    kParameterReference,
    kSize,
    kPerhapsAssigned,
};
inline constexpr uint8_t kMissingReasonFirst = 1;
inline constexpr uint8_t kMissingReasonLast = 10;

// Returns the words that the commands print: "optimized out". For other numbers it returns
// "unknown".
std::string_view text(MissingReason reason);

struct Provenance {
    static constexpr uint32_t kNoFile = UINT32_MAX;

    uint32_t base_end_id = 1;      // the first id above the base
    uint32_t base_end_string = 0;  // the end of the base's strings
    // The number of DW_TAG_inlined_subroutine entries with an address, outside skipped units.
    uint64_t inline_instances = 0;
    uint32_t skipped_rust_units = 0;
    // Sites that were left out because DWARF contradicts itself, or the code, about their address.
    uint32_t contradicted = 0;

    // The source file of each function with sites, in ascending order of func id.
    std::vector<std::string> files;
    std::vector<uint32_t> func_files;  // index into files, or kNoFile

    // The variadic ones of the functions with sites, as ascending func ids.
    std::vector<uint32_t> variadic_funcs;

    // A MissingReason for each parameter without location, in order of LOCSEC type id, entry and
    // parameter. The void that ends a variadic prototype is not a parameter and has none.
    std::vector<uint8_t> reasons;

    // The sites, as ascending numbers, that a default attach leaves out because of their code:
    // ftrace does not list the function around them on purpose, or kprobes refuse the function or
    // the instruction. none: the input did not contain ftrace's table.
    std::optional<std::vector<uint32_t>> left_out_sites;

    bool operator==(const Provenance &) const = default;
};

// The encoding is little-endian and has a version. The same value always gives the same bytes.
std::vector<std::byte> encode(const Provenance &provenance);

// Any bytes are safe. The error's message is only the reason.
Result<Provenance> decode_provenance(std::span<const std::byte> bytes);

}  // namespace btf_extra

#endif
