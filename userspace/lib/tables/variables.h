// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the variables of an object by name: the VARs of its types, which BPF programs can read, and
// those that its file lists with the reason why they cannot.
#ifndef BTF_EXTRA_VARIABLES_H
#define BTF_EXTRA_VARIABLES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/format/variable_list.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

struct FoundVariable {
    SharedObject object;
    std::string name;
    uint32_t id = 0;       // of the VAR; 0: the types do not contain it
    uint32_t type_id = 0;  // likewise
    bool global = false;   // likewise
    std::optional<VariableReason> reason = std::nullopt;  // why they do not contain it
    std::optional<std::string> file = std::nullopt;       // that declares it; none: not known
    std::optional<uint64_t> address = std::nullopt;       // at run time, or as linked
    std::string place = {};  // ".data+0x40", if it is known; else empty
};

// Returns the variables that a text names, "[OBJECT:]NAME" where both may be patterns, in order of
// object and name. It is an error (ENOENT) if it names none.
Result<std::vector<FoundVariable>> find_variables(SiteTables &tables, const std::string &text);

// Returns the variable of that name that has a type and an address, in any object if `object` is
// empty. It is an error if there is none, and the message has the reason.
Result<FoundVariable> find_typed_variable(SiteTables &tables, const std::string &object,
                                          const std::string &name);

}  // namespace btf_extra

#endif
