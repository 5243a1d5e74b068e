// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Programs of fentry that read all arguments of a function.
#ifndef BTF_EXTRA_SWEEP_FENTRY_H
#define BTF_EXTRA_SWEEP_FENTRY_H

#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include <bpf/btf.h>

#include "tests/vm/fentry_model.h"
#include "tests/vm/guest_sites.h"

class FentryPrograms {
  public:
    explicit FentryPrograms(const bpf_object *object);

    // Leaves the functions in the list that have inlined sites and a body, and are in the kernel's
    // own BTF: those to which a tool can attach by name.
    void leave_attachable(guest::List &list);

    // Returns a program that the caller closes, or -1 and errno. It passes arguments of some types
    // to helpers that read the object without a check, because the verifier trusts the arguments of
    // fentry. A wrong one would crash.
    int load(uint32_t func_id) const;

    // Returns true if the kernel may attach a program of that name elsewhere than to the body.
    bool is_ambiguous(const guest::ListedFunc &func) const;

  private:
    std::vector<bpf_insn> calls_of_helpers(uint32_t func_id) const;

    FentryModel model_;
    std::unique_ptr<btf, decltype(&btf__free)> kernel_;
    std::unordered_map<uint32_t, uint64_t> bodies_;                // by id
    std::unordered_map<std::string, std::set<uint64_t>> symbols_;  // addresses in vmlinux
};

#endif
