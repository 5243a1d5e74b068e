// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The BPF links of the machine that attach a program to a kernel function by its BTF id.
#ifndef BTF_EXTRA_ATTACHED_LINK_H
#define BTF_EXTRA_ATTACHED_LINK_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "userspace/format/file_descriptor.h"
#include "userspace/format/result.h"
#include "userspace/lib/attach/link_target.h"

namespace btf_extra {

struct AttachedLink {
    enum class Kind { kFentry, kFexit, kModifyReturn, kFsession };

    uint32_t id;
    uint32_t prog_id;
    Kind kind;
    FileDescriptor fd;  // holds the link until it is closed
    LinkTarget target;
};

const char *text(AttachedLink::Kind kind);

// Returns the ids of all BPF links, in their order, whatever they attach.
Result<std::vector<uint32_t>> link_ids();

// Returns nothing if the link attaches no program to a kernel function, or has ended. EAGAIN: it is
// not complete yet.
Result<std::optional<AttachedLink>> attached_link(uint32_t id);

// A process that has the descriptor of a BPF link.
struct LinkOwner {
    uint32_t pid;
    std::string command;
};

// Names a process as the owner.
LinkOwner owner_of(uint32_t pid);

// Returns the owners of these links, or of all, by id, the first one of each. A link may have none:
// it is pinned, or its owner has not received it yet.
std::map<uint32_t, LinkOwner> link_owners(std::set<uint32_t> wanted = {});

}  // namespace btf_extra

#endif
