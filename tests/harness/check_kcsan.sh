#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make check-kcsan`: what is tested with KASAN and lockdep, on a lean kernel with KCSAN instead. Each
# race that it reports, ours or the kernel's, fails the guest's own row. The last line counts.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh

out=$PWD/build/check-kcsan
begin_results "$out"
userspace/packages.sh build check kernel vm || exit 1
mapfile -t suites < <(sed -n 's/^\([a-z_]*\) .* asked lean-kcsan$/\1/p' tests/vm/suites.list)
LIMIT=${LIMIT:-10800} tests/harness/run_vm_tests.sh "$out" "${suites[@]}" lean-kcsan
end_results "$out"
