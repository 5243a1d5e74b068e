// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads and writes the section `.btf_extra.variables` of a .btf_extra file: the source files of the
// variables that the types contain, and the variables that they do not contain, each with the
// reason. kernel/core/FORMAT.md describes it. No kernel reads it.
#ifndef BTF_EXTRA_VARIABLE_LIST_H
#define BTF_EXTRA_VARIABLE_LIST_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra {

// The reason why the types do not contain a variable. Files contain these numbers: add new ones,
// and never change one.
enum class VariableReason : uint8_t {
    kNoSymbol = 1,
    kOtherSymbol,
    kPerCpu,
    kFreed,
    kOptimizedOut,
    kComputed,
    kNoType,
    kSize,
};
inline constexpr uint8_t kVariableReasonFirst = 1;
inline constexpr uint8_t kVariableReasonLast = 8;

// Returns the words that the commands print: "freed after boot". For other numbers it returns
// "unknown".
std::string_view text(VariableReason reason);

struct VariableList {
    static constexpr uint32_t kNone = UINT32_MAX;

    // A loaded section of the object.
    struct Section {
        std::string name;
        uint64_t address = 0;  // link address; 0 in a relocatable object
        bool operator==(const Section &) const = default;
    };
    // A variable that the types do not contain.
    struct LeftOut {
        std::string name;
        VariableReason reason{};
        uint32_t file = kNone;     // index into files, or kNone
        uint32_t section = kNone;  // index into sections; kNone: it has no address
        uint64_t offset = 0;       // in that section
        bool operator==(const LeftOut &) const = default;
    };

    std::vector<std::string> files;
    std::vector<Section> sections;
    // For each VAR of the types, in order of their ids: index into files, or kNone.
    std::vector<uint32_t> var_files;
    std::vector<LeftOut> left_out;  // in order of their names, compared as bytes

    bool operator==(const VariableList &) const = default;
};

// The same value always gives the same bytes.
std::vector<std::byte> encode(const VariableList &variables);

// Any bytes are safe. The error's message is only the reason.
Result<VariableList> decode_variables(std::span<const std::byte> bytes);

}  // namespace btf_extra

#endif
