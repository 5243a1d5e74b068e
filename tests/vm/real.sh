#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Functions that the stock kernels inline, traced while files are written, processes come and go and
# TCP runs over loopback: counts and arguments against what else tells of them (tests/vm/real).
# Through the module, and without it by the library, with the kernel's file and perf kprobes.
#
#   real.sh RESULTS [KERNEL...]
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
default_kernels 6.1 6.12 7.x

build_programs() {
    build_bpf real &&
        make --no-print-directory build/release/btf-extra build/release/vm/real/real_guest
}

cat >"$scratch/start" <<'END'
ifconfig lo 127.0.0.1 up || exit 1
# Optimized probes run with interrupts on: what a timer then sends is missed by all probes.
echo 0 >/proc/sys/debug/kprobes-optimization || exit 1
[ "$1" != module ] || { insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko; } || exit 1
real_guest /real.bpf.o "$1"
END

# in_guest NAME WAY ARGUMENT
in_guest() {
    tests/harness/guest_rows.sh "$results" "vm real: $1, $2" "$1" --files "$scratch/$1" -- \
        sh /start "$3"
}

on_kernel() {
    local name=$1 files=$scratch/$1
    { vm/prepare.sh "$name" "$files" && cp "$scratch"/{start,real.bpf.o} "$files" &&
        vm/add-program.sh "$files" build/release/vm/real/real_guest; } >"$files.log" 2>&1 ||
        { cat "$files.log"; fail "$name: what it needs could not be built"; }
    in_guest "$name" module module
    in_guest "$name" perf /vmlinux.btf_extra
}

build_programs || fail 'build of the programs'
on_kernels 2
