// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Answers as addr2line does, for tools that run one: perf report, stackcollapse-perf.pl, and
// faddr2line and decode_stacktrace.sh of the kernel.
#ifndef BTF_EXTRA_ADDR2LINE_H
#define BTF_EXTRA_ADDR2LINE_H

#include <cstdint>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/lib/tables/symbolizer.h"

namespace btf_extra {

// Its options. Lines are those of LLVM's addr2line.
struct Addr2line {
    bool addresses = false;  // a line with the address comes first
    bool functions = false;  // a line with the function comes before each line of the source
    bool inlines = false;    // also the functions that the innermost one is inlined in
    bool basenames = false;  // files are without their folders
    bool pretty = false;     // a line for each function, as GNU's addr2line prints it
    std::string section;  // addresses count from the beginning of this one; empty: they are whole

    // Returns whole lines. A line that is not an address gets the reply of GNU's addr2line, because
    // perf sends such a line and waits for it.
    std::string answer(Symbolizer &symbolizer, const std::string &text) const;

    // Returns an error if the object has no section of that name.
    Result<void> check_section(Symbolizer &symbolizer) const;

    // Chooses the tables of a vmlinux or a module: the file that the choice has, or else the one
    // beside it, or one that is installed for that build-id.
    Result<void> choose_tables(const std::string &elf, TablesChoice &choice);

  private:
    struct CodeSection {
        std::string name;
        uint64_t size;
    };
    std::vector<CodeSection> code_;  // of a module

    Result<Symbolizer::Named> find(Symbolizer &symbolizer, uint64_t address) const;
};

}  // namespace btf_extra

#endif
