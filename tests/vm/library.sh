#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# libbtf_extra, on each stock kernel, through the module and by perf kprobes: the arguments that its
# programs see are those that were passed (tests/vm/library).
#
#   library.sh RESULTS [KERNEL...]
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
default_kernels 6.1 6.12 7.x

build_programs() {
    build_bpf library || return 1
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory \
        build/release/vm/library/library_guest
}

cat >"$scratch/start" <<'END'
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
folder=/lib/firmware/btf_extra/$(uname -r)
mkdir -p "$folder" && cp /vmlinux.btf_extra "$folder" || exit 1
[ "$1" = perf ] || { insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko; } || exit 1
library_guest /library.bpf.o "$1"
END

on_kernel() {
    local name=$1 way files=$scratch/$1
    vm/prepare.sh "$name" "$files" >/dev/null || fail "$name: build of the modules"
    cp "$scratch"/{start,library.bpf.o} "$files"
    vm/add-program.sh "$files" build/release/vm/library/library_guest ||
        fail "$name: programs of the guest"
    for way in module perf; do
        tests/harness/guest_rows.sh "$results" "vm library: $name, $way" "$name" --files "$files" \
            -- sh /start "$way"
    done
}

build_programs || fail 'build of the programs'
on_kernels 1
