// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The work that calls the traced functions: files, processes, TCP over loopback.
#ifndef BTF_EXTRA_REAL_WORKLOAD_H
#define BTF_EXTRA_REAL_WORKLOAD_H

// It prints nothing, because its own write would be traced.
void run_workload();

constexpr int kConnections = 20;
constexpr int kForks = 20;
constexpr int kWrites = 500;

#endif
