// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What the traced functions are there for: files, processes, TCP over loopback.
#ifndef BTF_EXTRA_REAL_WORKLOAD_H
#define BTF_EXTRA_REAL_WORKLOAD_H

// Prints nothing: a write of its own would be seen.
void run_workload();

constexpr int kConnections = 20;
constexpr int kForks = 20;
constexpr int kWrites = 500;

#endif
