// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A .btf_extra file against the oracle: every site, every parameter.
#ifndef BTF_EXTRA_TESTS_ORACLE_MATCH_H
#define BTF_EXTRA_TESTS_ORACLE_MATCH_H

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/libdw_oracle.h"
#include "userspace/lib/tables/object_view.h"

namespace btf_extra::test {

struct OracleMatch {
    // Sites of DWARF that agree with one of the file, and of these:
    uint64_t sites = 0;
    uint64_t bodies = 0;
    uint64_t plain = 0;          // parameters in plain shape, word for word
    uint64_t simplified = 0;     // others, with the same value on every machine
    uint64_t given_up = 0;       // others, without a location in the file
    uint64_t without_value = 0;  // a location, but no value to be had there; none in the file
    uint64_t absent = 0;         // no location in DWARF, and none in the file
    uint64_t undecoded = 0;      // not compared
    uint64_t renamed = 0;        // of any kind, in functions of the base: by another definition

    uint64_t disagreeing = 0;
    std::vector<std::string> disagreements;  // the first few, with offsets of entries

    std::vector<std::string> undecoded_params;
};

// machines: those that the oracle was made with.
OracleMatch match_oracle(const ObjectView &view, const LibdwOracle &oracle,
                         const std::vector<Machine> &machines);

}  // namespace btf_extra::test

#endif
