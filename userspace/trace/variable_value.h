// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the value of a variable of the kernel, or of what a path of members leads to from there.
#ifndef BTF_EXTRA_VARIABLE_VALUE_H
#define BTF_EXTRA_VARIABLE_VALUE_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/tables/variables.h"
#include "userspace/text/json_text.h"
#include "userspace/trace/trace_expression.h"

namespace btf_extra {

// Returns the bytes that can be read there, at most size.
using ReadMemory = std::function<std::vector<uint8_t>(uint64_t address, size_t size)>;

struct VariableValue {
    uint64_t address = 0;  // of the value
    std::string type;      // in C, without a name
    std::string text;      // 5, "swapper/0", {.next = ...}
    ordered_json json;     // the same for values of at most 16 bytes and texts; else the text
};

// The variable must have a type and an address. path begins with its name. It is an error if a
// member does not exist, or if memory on the way cannot be read.
Result<VariableValue> read_variable(const FoundVariable &variable, const Operand &path,
                                    const ReadMemory &read);

}  // namespace btf_extra

#endif
