// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The open files of other processes, as /proc lists them.
#ifndef BTF_EXTRA_OPEN_DESCRIPTORS_H
#define BTF_EXTRA_OPEN_DESCRIPTORS_H

#include <cstdint>
#include <functional>
#include <string_view>

namespace btf_extra {

struct OpenDescriptor {
    uint32_t pid, fd;
};

// Visits the descriptors whose file has this in its name ("[perf_event]"), the newest of a process
// first, until visit returns false. A process may end at any time: then it has none.
void visit_descriptors(std::string_view name,
                       const std::function<bool(const OpenDescriptor &)> &visit);

}  // namespace btf_extra

#endif
