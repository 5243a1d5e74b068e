#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Those who ask btf_extra.ko from within the kernel, on each stock kernel: another module, through the
# exported functions (tests/vm/api), and BPF programs, through the kfuncs (tests/vm/kfuncs); what they
# are told is what /dev/btf_extra says. And that stock libbpf and bpftool find our functions by name.
#
#   kfuncs.sh RESULTS [KERNEL...]
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
default_kernels 6.1 6.12 7.x

build_programs() {
    local name
    build_bpf kfuncs || return 1
    for name in api kfuncs; do
        g++ -std=c++20 -O1 -Wall -Wextra -Werror -I. -Iinclude/uapi -o "$scratch/${name}_guest" \
            "tests/vm/$name/${name}_guest.cpp" -lbpf || return 1
    done
}

cat >"$scratch/start" <<'END'
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /api_test.ko || exit 1
echo 'pass the modules load'
kfuncs_guest /kfuncs.bpf.o "$1" /tmp/name
status=$?
types=/sys/kernel/btf/btf_extra_vmlinux
name=$(cat /tmp/name)
if bpftool -B /sys/kernel/btf/vmlinux btf dump file $types | grep -q "FUNC '$name' "; then
    echo 'pass bpftool: shows a function that vmlinux does not have'
else
    echo "fail bpftool: shows a function that vmlinux does not have: $name"
    status=1
fi
api_guest || status=1
rmmod api_test && rmmod btf_extra_vmlinux && rmmod btf_extra && echo 'pass the modules unload' ||
    status=1
exit $status
END

on_kernel() {
    local name=$1 files=$scratch/$1 modules tracing=tracing
    modules=$(vm/build-modules.sh "$name" tests/vm/api) || fail "$name: build of the modules"
    mkdir "$files"
    cp "$modules"/{kernel/btf_extra,kernel/data/btf_extra_vmlinux,tests/vm/api/api_test}.ko \
        "$scratch"/{start,kfuncs.bpf.o} "$files"
    vm/add-program.sh "$files" "$scratch"/{api,kfuncs}_guest bpftool ||
        fail "$name: programs of the guest"
    # Before it tracing programs may call no kfunc of a module.
    [ "$name" != 6.1 ] || tracing=no-tracing

    tests/harness/guest_rows.sh "$results" "vm kfuncs: $name" "$name" --files "$files" -- \
        sh /start $tracing
}

build_programs || fail 'build of the programs'
on_kernels 1
