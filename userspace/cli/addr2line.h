// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Answers as addr2line does, for tools that run one: perf report, stackcollapse-perf.pl.
#ifndef BTF_EXTRA_ADDR2LINE_H
#define BTF_EXTRA_ADDR2LINE_H

#include <string>

#include "userspace/cli/symbolizer.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

// Its options. Lines are those of LLVM's addr2line.
struct Addr2line {
    bool addresses = false;  // a line with the address comes first
    bool functions = false;  // a line with the function comes before each line of the source
    bool inlines = false;    // also the functions that the innermost one is inlined in
    bool basenames = false;  // files are without their folders

    // Returns whole lines. What is no address is answered as GNU's addr2line does, because perf
    // sends it and waits for that.
    std::string answer(Symbolizer &symbolizer, const std::string &text) const;

    // Chooses the tables of a vmlinux: the file that the choice has, or else the one beside it, or
    // one that is installed for that build-id.
    static Result<void> choose_tables(const std::string &vmlinux, TablesChoice &choice);
};

}  // namespace btf_extra

#endif
