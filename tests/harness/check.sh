#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Builds what the tests need, and runs them. The last line is "N passed, N failed, N skipped"; exit 1
# if anything failed, and also if something could not be built, fetched or started: a test that did
# not run never counts as a success.
#
#   check.sh          `make check`: what each change needs
#   check.sh --all    `make check-all`: every test
#
# A step reports its rows (rows.sh) in a file of build/check/results; logs are in build/check/logs.
# tests/TESTING.md says which steps there are. The tests see
#   BTF_EXTRA_SOURCE    top of the source tree
#   BTF_EXTRA_BUILD     the folder of the variant under test
#   BTF_EXTRA_CMD       its btf-extra
#   BTF_EXTRA_SCRATCH   an empty folder of the test's own, also TMPDIR
#   BTF_EXTRA_CORPUS    where x_test may leave inputs for x_fuzz to begin with
#   BTF_EXTRA_VMLINUX   a Debian kernel with debug info (tests/real only; release build)
#   BTF_EXTRA_MODULES   a folder with some of its modules, as vm/fetch-modules.sh leaves it (the same)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh

top=$PWD
out=$top/build/check
all=''
[ "${1:-}" != --all ] || all=1
# The kernels of `make check`; empty: all.
kernels=(lean 6.1)
[ -z "$all" ] || kernels=()
begin_results "$out"

# The one way out. A harness that is cut short counts as one failure.
finish() {
    [ -n "${finished:-}" ] || echo 'fail the harness was cut short' >>"$out/results/harness"
    trap - EXIT
    # A bare "exit" in a trap would give the status from before it.
    if end_results "$out"; then exit 0; else exit 1; fi
}
trap finish EXIT
trap 'exit 130' INT TERM

# A step of the harness itself: when it fails, so does the check.
step() {
    local name=$1 began=$SECONDS
    shift
    "$@" || { echo "fail $name" >>"$out/results/harness"; return 1; }
    echo "  $name: $((SECONDS - began)) s" >&2
}

stop() { finished=1; exit 1; }

step packages userspace/packages.sh build check kernel vm deb ${all:+arm64} || stop

step 'house rules' tests/harness/house_rules.py "$out/results/house_rules"

# Files that the cache lacks are fetched while the compiler runs, for the kernels of the first suite. If
# one is missing, the steps that need it say so.
fetch_all() {
    local names name
    read -r _ names < <(grep '^hello ' tests/vm/suites.list)
    [ -n "$all" ] || names=${kernels[*]}
    for name in $names; do
        grep -q "^$name .* built$" vm/kernels.list && continue
        vm/fetch-kernel.sh "$name"
        vm/fetch-vmlinux.sh "$name"
    done
    vm/fetch-modules.sh
    vm/fetch-source.sh 7.x
    [ -n "$all" ] || return
    vm/fetch-sysroot.sh arm64
    vm/fetch-perf.sh
}
fetch_all >"$out/logs/fetch.log" 2>&1 &

export WERROR=1
echo 'Building'
# Under make, its variables are not for this build.
plain_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$@"; }
step 'build the command' plain_make build/release/btf-extra || stop
# The guest with the kernel that is built here takes the longest, so that begins as soon as it can.
vm/build-lean.sh >"$out/logs/build-lean.log" 2>&1 &
step 'build' plain_make build-check ${all:+build-fuzz build-guest-arm64} || stop

step 'core without a C library' tests/harness/freestanding.sh build/freestanding/core.o \
    "$out/results/freestanding"

# NAME and VARIANT of each test binary, from the sources: one left over in build/ is not run.
list_tests() {
    local source name
    for source in tests/unit/*/*_test.cpp tests/real/*_test.cpp; do
        [ -e "$source" ] || continue
        name=$(basename "$source" .cpp)
        case $source in
        tests/real/*) [ -z "$BTF_EXTRA_VMLINUX" ] || echo "$name release" ;;
        *) echo "$name asan" ;;
        esac
    done
}

export BTF_EXTRA_SOURCE=$top BTF_EXTRA_VMLINUX BTF_EXTRA_MODULES
BTF_EXTRA_VMLINUX=$(step 'fetch vmlinux' vm/fetch-vmlinux.sh)
BTF_EXTRA_MODULES=$(step 'fetch modules' vm/fetch-modules.sh)

export UBSAN_OPTIONS=print_stacktrace=1
unit_tests() { list_tests | sort -r | xargs -r -P "$(nproc)" -L 1 tests/harness/run_gtest.py "$out"; }

perf_addr2line() {
    local perf
    perf=$(vm/fetch-perf.sh) &&
        tests/real/perf_addr2line.py "$BTF_EXTRA_VMLINUX" "$perf" "$out/results/perf_addr2line"
}

kernel_scripts() {
    local source module
    source=$(vm/fetch-source.sh 7.x) &&
        module=$(find "$BTF_EXTRA_MODULES/usr" -name nf_conntrack.ko) &&
        tests/real/kernel_scripts.py "$BTF_EXTRA_VMLINUX" "$module" "$source" \
            "$out/results/kernel_scripts"
}

# Steps with one thread for most of their time run beside the guests, with a lower priority.
beside_the_guests() {
    renice -n 3 "$BASHPID" >/dev/null
    step 'run tests' unit_tests
    step install tests/harness/install.sh "$out/results/install"
    step 'kernel style' tests/harness/kernel_style.sh "$out/results/kernel_style"
    step kunit tests/harness/kunit.sh --check "$out"
    step 'Debian packages' tests/harness/deb.sh "$out/results/deb"
    [ -n "$all" ] || return 0
    step 'perf asks addr2line' perf_addr2line
    step 'scripts of the kernel ask addr2line' kernel_scripts
    step 'one definition' tests/harness/odr.sh "$out/results/odr"
    step dkms tests/harness/dkms.sh "$out/results/dkms"
    step fuzz tests/harness/fuzz.sh --check "$out"
    step 'kernel tree' tests/harness/intree_tree.sh "$out/results/intree_tree"
    return 0
}

echo 'Testing'
beside_the_guests &
step 'virtual machines' tests/harness/run_vm_tests.sh "$out" "${kernels[@]}"
step 'what runs beside the guests' wait $!

finished=1
