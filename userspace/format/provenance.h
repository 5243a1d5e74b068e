// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What the generator knows and the wire format has no place for: section
// `.btf_extra.provenance` of a .btf_extra file. No kernel ever loads it.
#ifndef BTF_EXTRA_PROVENANCE_H
#define BTF_EXTRA_PROVENANCE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra {

// Why a parameter has no location. The numbers are in files: add, never change.
enum class NotAvailable : uint8_t {
    kOptimizedOut = 1,
    kNoLocationHere,
    kArithmetic,
    kImplicitPointer,
    kEntryValue,
    kStaticMemory,
    kPieces,
    kParameterReference,
    kSize,
};
inline constexpr uint8_t kNotAvailableFirst = 1;
inline constexpr uint8_t kNotAvailableLast = 9;

// The words of the wire format's description: "optimized out". "unknown" for other numbers.
std::string_view text(NotAvailable reason);

struct Provenance {
    static constexpr uint32_t kNoFile = UINT32_MAX;

    uint32_t base_end_id = 1;      // first id above the base
    uint32_t base_end_string = 0;  // end of the base's strings
    // DW_TAG_inlined_subroutine with an address, outside skipped units.
    uint64_t inline_instances = 0;
    uint32_t skipped_rust_units = 0;

    // The file of each distinct function with sites, in ascending order of func id.
    std::vector<std::string> files;
    std::vector<uint32_t> func_files;  // index into files, or kNoFile

    // Those of the functions with sites that are variadic: ascending func ids.
    std::vector<uint32_t> variadic_funcs;

    // A NotAvailable for each parameter without location, as the LOCSEC entries refer to them:
    // in order of LOCSEC type id, entry, parameter. The trailing void of a variadic prototype
    // is no parameter and has none.
    std::vector<uint8_t> reasons;

    bool operator==(const Provenance &) const = default;
};

// Little-endian and versioned; the same bytes for the same value.
std::vector<std::byte> encode(const Provenance &provenance);

// Bounded: any bytes are safe. The error's message is the reason alone.
Result<Provenance> decode_provenance(std::span<const std::byte> bytes);

}  // namespace btf_extra

#endif
