// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// An fentry program whose function is chosen when it is loaded, as often as wanted.
#ifndef BTF_EXTRA_FENTRY_MODEL_H
#define BTF_EXTRA_FENTRY_MODEL_H

#include <span>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

class FentryModel {
  public:
    // program is loaded, and its object outlives this.
    explicit FentryModel(const bpf_program *program)
        : insns_(bpf_program__insns(program), bpf_program__insn_cnt(program)) {}

    // Returns a program that the caller closes, or -1 and errno. first: runs before the others, and
    // leaves r1 as it was.
    int load(uint32_t btf_id, std::span<const bpf_insn> first = {}) const {
        std::vector<bpf_insn> insns(first.begin(), first.end());
        insns.insert(insns.end(), insns_.begin(), insns_.end());
        LIBBPF_OPTS(bpf_prog_load_opts, options);
        options.expected_attach_type = BPF_TRACE_FENTRY;
        options.attach_btf_id = btf_id;
        return bpf_prog_load(BPF_PROG_TYPE_TRACING, "model", "GPL", insns.data(), insns.size(),
                             &options);
    }

  private:
    std::span<const bpf_insn> insns_;
};

#endif
