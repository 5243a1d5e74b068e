#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make check-intree`: of `make check-all` what is about a kernel that btf_extra is built with: its
# source, its build, and what it does in a virtual machine. With ARCH=arm64 its build for arm64, which
# `make check-all` does not have. The last line counts.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh

out=$PWD/build/check-intree
begin_results "$out"
# A kernel's build would take it, too.
arch=${ARCH:-}
unset ARCH
userspace/packages.sh build check kernel vm ${arch:+arm64} || exit 1
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s build/release/btf-extra || exit 1
case $arch in
arm64) TMPDIR=$out/scratch tests/harness/intree_arm64.sh "$out/results/arm64" </dev/null ;;
'')
    TMPDIR=$out/scratch tests/harness/intree_tree.sh "$out/results/tree" </dev/null
    tests/harness/run_vm_tests.sh "$out" intree
    ;;
*) echo "check_intree: ARCH=$arch: only ARCH=arm64, or none" >&2; exit 1 ;;
esac
end_results "$out"
