#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make check-intree`: of `make check` what is about a kernel that btf_extra is built with: its
# source, its build, and what it does in a virtual machine. The last line counts.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh

out=$PWD/build/check-intree
begin_results "$out"
userspace/packages.sh build check kernel vm || exit 1
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s build/release/btf-extra || exit 1
TMPDIR=$out/scratch tests/harness/intree_tree.sh "$out/results/tree" </dev/null
tests/harness/run_vm_tests.sh "$out" intree
end_results "$out"
