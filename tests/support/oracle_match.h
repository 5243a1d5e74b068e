// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Compares a .btf_extra file with the oracle: every site and every parameter.
#ifndef BTF_EXTRA_TESTS_ORACLE_MATCH_H
#define BTF_EXTRA_TESTS_ORACLE_MATCH_H

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/libdw_oracle.h"
#include "userspace/lib/tables/object_view.h"

namespace btf_extra::test {

struct OracleMatch {
    // The number of sites of DWARF that agree with a site of the file; among these:
    uint64_t sites = 0;
    uint64_t bodies = 0;
    uint64_t plain = 0;          // parameters in a plain shape, equal word for word
    uint64_t simplified = 0;     // other parameters, with the same value on every machine
    uint64_t computed = 0;       // other parameters, with an expression of the same value there
    uint64_t given_up = 0;       // other parameters, with neither in the file
    uint64_t without_value = 0;  // DWARF has a location without a value, the file has none
    uint64_t absent = 0;         // neither DWARF nor the file has a location
    uint64_t undecoded = 0;      // not compared
    uint64_t renamed = 0;        // of functions of the base, named as in another definition

    uint64_t disagreeing = 0;
    std::vector<std::string> disagreements;  // the first ones, with the offsets of entries

    std::vector<std::string> undecoded_params;
};

// machines must be those that the oracle was made with.
OracleMatch match_oracle(const ObjectView &view, const LibdwOracle &oracle,
                         const std::vector<Machine> &machines);

}  // namespace btf_extra::test

#endif
