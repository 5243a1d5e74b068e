// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program at the sites of a function, in either of two ways: by the module
// (module_attach.cpp), or by perf kprobes (perf_attach.cpp).
#ifndef BTF_EXTRA_KLOC_H
#define BTF_EXTRA_KLOC_H

#include <cstdint>
#include <memory>
#include <vector>

#include "userspace/format/file_descriptor.h"
#include "userspace/format/result.h"
#include "userspace/lib/btf_extra.h"
#include "userspace/lib/tables/site_tables.h"

// The probes go with it.
struct btf_extra_kloc {
    virtual ~btf_extra_kloc() = default;
    virtual btf_extra::Result<std::vector<btf_extra_probe>> probes() const = 0;
    virtual btf_extra::Result<btf_extra_counts> counts() const = 0;
    // A descriptor that holds the probes from here on, in place of this.
    virtual btf_extra::Result<btf_extra::FileDescriptor> into_descriptor() = 0;

    mutable std::vector<btf_extra_probe> read_probes;  // what the C API gave last
};

namespace btf_extra {

struct AttachRequest {
    int prog_fd;
    uint32_t flags;     // as in btf_extra_attach
    uint64_t required;  // likewise
    uint64_t cookie;
};

struct AttachOutcome {
    std::unique_ptr<btf_extra_kloc> kloc;  // NULL: sites are left out that may not be, or all are
    size_t attached = 0;
    std::vector<btf_extra_left_out> left_out;  // by number
};

Result<AttachOutcome> attach_by_module(const FoundFunc &func, const AttachRequest &request);
Result<AttachOutcome> attach_by_perf(const FoundFunc &func, const AttachRequest &request);

// Sites of the function that the flags choose by class.
std::vector<btf_extra_site> wanted_sites(const FoundFunc &func, uint32_t flags);

}  // namespace btf_extra

#endif
