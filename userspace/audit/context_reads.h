// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds which bytes of its context a BPF program reads, from its instructions. For fentry these are
// arguments by number, for kprobes saved registers.
#ifndef BTF_EXTRA_CONTEXT_READS_H
#define BTF_EXTRA_CONTEXT_READS_H

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

struct bpf_insn;

namespace btf_extra::audit {

struct ContextReads {
    // false: the context goes where it cannot be followed, as to another function of the program.
    bool known = false;
    std::set<std::pair<uint32_t, uint32_t>> bytes = {};  // offset and size of each load
    std::set<uint32_t> arguments = {};  // numbers that bpf_get_func_arg() is called with
    std::set<std::string> names = {};   // of parameters, in scripts
};

// Follows the context from R1 through registers and the stack. The program may be hostile: it is
// not executed, and the time is bounded by its length.
ContextReads context_reads(std::span<const bpf_insn> program);

}  // namespace btf_extra::audit

#endif
