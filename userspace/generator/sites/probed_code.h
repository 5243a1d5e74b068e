// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Says where the kernel lets tracers be, by the tables that it has of its code: the calls that
// ftrace turns on and off, and what kprobes keep out of.
#ifndef BTF_EXTRA_PROBED_CODE_H
#define BTF_EXTRA_PROBED_CODE_H

#include <cstdint>
#include <vector>

#include "userspace/code/code_tables.h"
#include "userspace/code/probed_instructions.h"
#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/sites/defined_symbols.h"

namespace btf_extra::generator {

// It does not change, so that threads can share it. The file that it is made of must outlive
// it. A function is the code that a symbol covers.
class ProbedCode {
  public:
    ProbedCode(const DebugFile &file, const DefinedSymbols &symbols);

    // Returns true if the file has the table of ftrace. If not, the rest means nothing.
    bool known() const { return !tables_.ftrace_calls.empty(); }
    // Returns true if ftrace knows the function around a place. section is an index into
    // DebugFile::sections().
    bool traced(uint32_t section, uint64_t offset) const;
    // Returns true if kprobes keep out of the function around a place.
    bool kept_out(uint32_t section, uint64_t offset) const;
    // Returns true if the instruction there takes a kprobe.
    bool takes_probe(uint32_t section, uint64_t offset) const;
    const CodeTables &tables() const { return tables_; }

  private:
    bool has_one(const std::vector<Place> &places, uint32_t section, uint64_t offset) const;

    const DebugFile &file_;
    const DefinedSymbols &symbols_;
    uint64_t hook_before_ = 0;  // as in struct loc_arch
    CodeTables tables_;
    ProbedInstructions instructions_;
};

}  // namespace btf_extra::generator

#endif
