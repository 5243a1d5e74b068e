#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `btf-extra probes` on each stock kernel: its lines, which are the same from the kernel's file as in
# the guest, in tracefs.
#
#   probes.sh RESULTS [KERNEL...]
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
default_kernels 6.1 6.12 7.x
funcs=(ksys_fallocate skb_headlen tcp_ack_tstamp zone_watermark_ok task_pid_nr)

prepare() {
    local name=$1 files=$2 modules func
    modules=$(vm/prepare.sh "$name" "$files") && mkdir -p "$files/probes" || return
    for func in "${funcs[@]}"; do
        build/release/btf-extra probes "$func" "$files/vmlinux.btf_extra" \
            --vmlinux "$modules/vmlinux" >"$files/probes/$func" || return
    done
    cp tests/vm/guest/probes.sh "$files"
}

on_kernel() {
    local name=$1 files=$scratch/$1 log=$scratch/$1.log
    if ! prepare "$name" "$files" >"$log" 2>&1; then
        cat "$log"
        fail "$name: what it needs could not be built"
    fi
    tests/harness/guest_rows.sh "$results" "vm probes: $name" "$name" --files "$files" -- \
        sh /probes.sh "${funcs[@]}"
}

make --no-print-directory build/release/btf-extra || fail build
on_kernels 1
