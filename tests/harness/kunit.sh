#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The KUnit suites whose names begin with btf_extra, in a virtual machine with the lean kernel, under
# KASAN, lockdep, DEBUG_OBJECTS and kmemleak; any report of these fails the run.
#
#   kunit.sh               prints what failed and a last line that counts
#   kunit.sh --check OUT   as a step of check.sh: results in OUT/results/kunit, logs in OUT/logs
#
# Every case is a test, each parameter of a case one of its own: "pass SUITE.CASE: PARAMETER".
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh
# shellcheck source=vm/compiled-files.sh
. vm/compiled-files.sh
export CCACHE_BASEDIR=$PWD

if [ "${1:-}" = --check ]; then
    out=$2
else
    out=build/kunit
    begin_results "$out"
    userspace/packages.sh kernel vm || exit 1
fi
results=$out/results/kunit
log=$out/logs/kunit.log
files=$out/scratch/kunit
mkdir -p "$files"
: >"$results"

run() {
    local lean status
    lean=$(vm/build-lean.sh) || { echo 'fail kunit: lean kernel' >>"$results"; return; }
    if ! kernel/build/build.sh "$lean/headers" build/kernel/kunit W=1 KCFLAGS=-Werror \
        CONFIG_DEBUG_INFO_BTF_EXTRA_KUNIT_TEST=y "CC=${cached_gcc:?}" >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo 'fail kunit: build of the module' >>"$results"
        return
    fi
    cp build/kernel/kunit/kernel/btf_extra.ko tests/harness/kunit_guest.sh "$files/"
    vm/run.sh lean --cpus 2 --files "$files" --append kmemleak=on -- ./kunit_guest.sh \
        >"$log" 2>&1
    status=$?
    case $status in
    0) echo 'pass kunit: the guest, its kernel log and its leaks' >>"$results" ;;
    *) tail -n 40 "$log" >&2
        echo "fail kunit: the guest, exit $status" >>"$results" ;;
    esac
    tests/harness/kunit_results.py "$lean/source/tools/testing/kunit/kunit.py" "$log" "$results" ||
        echo "fail kunit: results" >>"$results"
}

run
[ "${1:-}" != --check ] || exit 0
end_results "$out"
