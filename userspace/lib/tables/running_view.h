// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The blobs of an object of the running kernel, from sysfs.
#ifndef BTF_EXTRA_RUNNING_VIEW_H
#define BTF_EXTRA_RUNNING_VIEW_H

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

}  // namespace btf_extra

#endif
