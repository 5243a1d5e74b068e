#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `btf-extra trace` on each stock kernel, by perf kprobes and through the module.
#
#   trace.sh RESULTS [KERNEL...]
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
default_kernels 6.1 6.12 7.x

on_kernel() {
    local name=$1 files=$scratch/$1 log=$scratch/$1.log
    if ! { vm/prepare.sh "$name" "$files" && cp tests/vm/guest/trace.sh "$files"; } >"$log" 2>&1; then
        cat "$log"
        fail "$name: what it needs could not be built"
    fi
    tests/harness/guest_rows.sh "$results" "vm trace: $name" "$name" --files "$files" --cpus 2 -- \
        sh /trace.sh
}

make --no-print-directory build/release/btf-extra || fail build
on_kernels 1
