// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The attach points of all that is attached to functions on this machine now.
#ifndef BTF_EXTRA_ATTACHED_POINTS_H
#define BTF_EXTRA_ATTACHED_POINTS_H

#include <string>

#include "userspace/audit/attach_points.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra::audit {

// Lists BPF links, the perf events of all processes, and the events and the filter of tracefs. The
// origin of a point is the process that holds it, if it is known. tables are those of the running
// kernel. EPERM: only root sees all of them.
Result<AttachPoints> attached_points(SiteTables &tables);

// Reads the lines of kprobe_events in tracefs. Places without the name of a function are left out.
void add_tracefs_kprobes(std::string_view lines, AttachPoints &out);
// Reads the lines of set_ftrace_filter.
void add_ftrace_filter(std::string_view lines, AttachPoints &out);

}  // namespace btf_extra::audit

#endif
