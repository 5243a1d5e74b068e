// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_STAT_RUNNING_H
#define BTF_EXTRA_STAT_RUNNING_H

namespace btf_extra {

// btf-extra stat --running. The process's exit code.
int run_running_stat(bool json);

}  // namespace btf_extra

#endif
