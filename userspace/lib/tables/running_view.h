// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A look-up in the running kernel together with what is needed to tell of its
// sites: the blobs, from sysfs, of every object that has some of them.
#ifndef BTF_EXTRA_RUNNING_VIEW_H
#define BTF_EXTRA_RUNNING_VIEW_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "userspace/format/result.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/running_kernel.h"

namespace btf_extra {

// Where the kernel shows BTF (btf/) and the blobs (btf_extra/).
inline constexpr char kSysKernel[] = "/sys/kernel";

// The blobs of an object, validated and indexed on top of the BTF that they were loaded on.
Result<std::unique_ptr<ObjectView>> open_running_view(const btf_extra_object &object,
                                                      const std::string &sys_kernel = kSysKernel);

// By id of the object, which is never given twice.
using RunningViews = std::map<uint32_t, std::shared_ptr<const ObjectView>>;

struct RunningLookup {
    RunningObjects objects;
    RunningSites sites;
    RunningViews views;
};

// All three of one state of the tables. Views that are known are not opened again.
Result<RunningLookup> look_up(RunningKernel &kernel, const RunningQuery &query,
                              const std::string &sys_kernel = kSysKernel,
                              const RunningViews &known = {});

}  // namespace btf_extra

#endif
