// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads all variables of static storage of a linked kernel with libdw, and its symbols with nm:
// what the .btf_extra file of that kernel must say of them. It shares no code with the generator.
#ifndef BTF_EXTRA_TESTS_LIBDW_VARIABLES_H
#define BTF_EXTRA_TESTS_LIBDW_VARIABLES_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace btf_extra::test {

struct DwarfVariable {
    std::string name;
    std::optional<uint64_t> address =
        std::nullopt;          // of DW_OP_addr, if that is the whole expression
    bool no_location = false;  // it has none, or an empty one
    bool external = false;
    // The type below qualifiers and typedefs: "struct sk_buff", "[8] of int", "pointer"; "" if it
    // is incomplete or none of C.
    std::string type = {};
    uint64_t size = 0;  // of the type
};

// Returns every definition in units of C: all of files, and those of functions with an address.
// Throws std::runtime_error.
std::vector<DwarfVariable> dwarf_variables(const std::string &path);

// Returns the symbols that nm prints, except debug symbols, in order of address.
struct NmSymbol {
    uint64_t address = 0;
    uint64_t size = 0;  // 0: not known
    char type = 0;
};
std::map<std::string, std::vector<NmSymbol>> nm_symbols(const std::string &path);

}  // namespace btf_extra::test

#endif
