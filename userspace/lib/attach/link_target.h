// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The function that a program of fentry is attached to, by its BPF link.
#ifndef BTF_EXTRA_LINK_TARGET_H
#define BTF_EXTRA_LINK_TARGET_H

#include <cstdint>
#include <span>
#include <string>

#include "userspace/format/result.h"
#include "userspace/lib/attach/kloc.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

struct LinkTarget {
    std::string object;  // whose BTF has it: "vmlinux", or a module
    uint32_t func_id;    // a FUNC in that
};

// Asks the kernel. EINVAL: it is no BPF link of fentry.
Result<LinkTarget> link_target(int link_fd);

// The same by the id of the BTF, and that of the FUNC in it.
Result<LinkTarget> link_target(uint32_t btf_id, uint32_t func_id);

// Returns the text that finds the functions of that name: "vmlinux:foo". Several functions may have
// it; only the kernel knows which of them the link is at. ENOENT: there are no tables of the
// object.
Result<std::string> target_text(SiteTables &tables, const LinkTarget &target);

struct OwnAttach {
    const DescribedFunc *func;
    AttachOutcome outcome;
};

// Attaches to that of the functions at which the program is, or for which it was loaded: the kernel
// refuses the others. fd is as the flags of opts have it. text names the functions.
Result<OwnAttach> attach_to_own(const SiteTables &tables, const std::string &text,
                                std::span<const DescribedFunc *const> funcs, int fd,
                                const btf_extra_attach_opts &opts);

}  // namespace btf_extra

#endif
