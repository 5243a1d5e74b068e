// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches a program to the sites of a function, either through the module (module_attach.cpp) or
// with perf kprobes (perf_attach.cpp).
#ifndef BTF_EXTRA_KLOC_H
#define BTF_EXTRA_KLOC_H

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "userspace/format/file_descriptor.h"
#include "userspace/format/result.h"
#include "userspace/lib/btf_extra.h"
#include "userspace/lib/tables/described_func.h"
#include "userspace/lib/tables/site_tables.h"

// Destroying it removes the probes.
struct btf_extra_kloc {
    virtual ~btf_extra_kloc() = default;
    virtual btf_extra::Result<std::vector<btf_extra_probe>> probes() const = 0;
    virtual btf_extra::Result<btf_extra_counts> counts() const = 0;
    // Returns a descriptor that holds the probes from now on, instead of this object.
    virtual btf_extra::Result<btf_extra::FileDescriptor> into_descriptor() = 0;

    mutable std::vector<btf_extra_probe> read_probes;  // the answer that the C API returned last
};

namespace btf_extra {

struct AttachRequest {
    int prog_fd;
    uint32_t flags;     // as in btf_extra_attach
    uint64_t required;  // as in btf_extra_attach
    uint64_t cookie;
};

struct AttachOutcome {
    std::unique_ptr<btf_extra_kloc> kloc;  // NULL: too many sites are left out
    size_t wanted = 0;                     // sites of the function that the flags choose
    size_t attached = 0;
    std::vector<btf_extra_left_out> left_out;  // in order of number
};

Result<AttachOutcome> attach(const SiteTables &tables, const DescribedFunc &func, int prog_fd,
                             const btf_extra_attach_opts &opts);
// Returns the first of these that an attach with such flags does not go without, or NULL.
const btf_extra_left_out *first_required(std::span<const btf_extra_left_out> left_out,
                                         uint32_t flags);

Result<AttachOutcome> attach_by_module(const FoundFunc &func, const AttachRequest &request);
Result<AttachOutcome> attach_by_perf(const SiteTables &tables, const FoundFunc &func,
                                     const AttachRequest &request);

// Returns the sites of the function whose class the flags allow.
std::vector<btf_extra_site> wanted_sites(const FoundFunc &func, uint32_t flags);

}  // namespace btf_extra

#endif
