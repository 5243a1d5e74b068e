// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads where calls begin from the pseudo probes of a program that clang compiled with
// -fpseudo-probe-for-profiling. The generator does not read these. Probe 1 of a function, in its
// body and in each inlined instance, is where a call of it begins; each copy of the code has one,
// too.
#ifndef BTF_EXTRA_TESTS_PSEUDO_PROBES_H
#define BTF_EXTRA_TESTS_PSEUDO_PROBES_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/fixture_build.h"
#include "tests/support/objdump_flow.h"

namespace btf_extra::test {

using NameChain = std::vector<std::string>;  // functions, innermost first, the body last

struct ProbedEntry {
    uint64_t address = 0;  // of the instruction after the probe
    NameChain chain;
};

// Returns where calls of inlined functions begin, in order of address. Throws std::runtime_error.
std::vector<ProbedEntry> probed_entries(const std::string &path);

// How the inlined sites of a program go with its probes. A site is in step if each hit is one call:
// on all ways, the last thing of its function before it is a probe and not another site, or the
// next thing after it is a probe that has no other site. An entry has a site in a like manner.
struct ProbeCensus {
    struct Sites {
        uint64_t judged = 0, in_step = 0;
        uint64_t without_probes = 0;   // the body has no probe of the function
        std::vector<std::string> odd;  // "function@address" of those that are not in step
    };
    Sites all, plain;      // plain ones are those without a mark that says otherwise
    uint64_t entries = 0;  // with code of the instance in DWARF
    uint64_t entries_with_site = 0, entries_with_plain_site = 0;
    uint64_t entries_without_code = 0;
    std::vector<std::string> missed;  // "function@address" of entries with code and without a site
};
ProbeCensus probe_census(const std::string &path, const std::vector<NamedSite> &sites);

}  // namespace btf_extra::test

#endif
