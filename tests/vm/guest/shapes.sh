#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: the arguments at the sites of shapes.ko, call by call.
#
#   shapes.sh [CALLS]
# shellcheck source=tests/harness/rows.sh
. /rows.sh

mkdir -p /lib/firmware && cp -r /shapes/btf_extra /lib/firmware || exit 1
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /shapes.ko || exit 1
shapes_guest /shapes.bpf.o /shapes/sites "${1:-100000}" typed word loc perf steps
same 'shapes_guest comes to its end' 0 $?
# Parameters that have no location, or no register.
without=''
for param in large twelve unused g h i j k l m n; do without="$without --without $param"; done
# shellcheck disable=SC2086  # a list of words
btf-extra expose --template /inlined.ko --best-effort $without 'shapes:shape_*' 2>/tmp/left
same 'the inlined shapes are exposed' 0 $?
# arm64 has the direct calls that fentry uses since 6.4 (commit 2aa6ac03516d).
if grep -q ' register_ftrace_direct$' /proc/kallsyms; then
    shapes_guest /shapes.bpf.o /shapes/sites "${1:-20000}" fentry:/phantom.bpf.o multi
    same 'with phantom functions it comes to its end' 0 $?
else
    same 'it is said that there is no fentry' 1 "$(grep -c 'no fentry: BPF programs cannot' /tmp/left)"
fi
row 'the stubs are taken away' btf-extra expose --remove
row 'the modules unload' rmmod shapes btf_extra_vmlinux btf_extra
