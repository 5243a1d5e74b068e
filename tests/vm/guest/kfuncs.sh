#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: the API for modules and the kfuncs, with all modules loaded.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

# Before 6.12 tracing programs may call no kfunc of a module.
case $(uname -r) in
6.1.*) tracing=no-tracing ;;
*) tracing=tracing ;;
esac
row 'the modules load' \
    sh -c 'insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /api_test.ko' || exit 1
kfuncs_guest /kfuncs.bpf.o $tracing /tmp/name
same 'kfuncs_guest comes to its end' 0 $?
name=$(cat /tmp/name)
types=/sys/kernel/btf/btf_extra_vmlinux
bpftool -B /sys/kernel/btf/vmlinux btf dump file $types >/tmp/types
row 'bpftool: shows a function that vmlinux does not have' grep -q "FUNC '$name' " /tmp/types
api_guest
same 'api_guest comes to its end' 0 $?
row 'the modules unload' rmmod api_test btf_extra_vmlinux btf_extra
