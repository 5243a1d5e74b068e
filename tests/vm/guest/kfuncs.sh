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
frames_guest none
same 'frames_guest comes to its end, without frames' 0 $?
row 'the modules unload' rmmod api_test btf_extra_vmlinux btf_extra

# ---- frames: the data module's tables have those of the firmware file ----

firmware=/lib/firmware/btf_extra/$(uname -r)
mkdir -p "$firmware" && cp /vmlinux.btf_extra /frames/btf_extra_sample.btf_extra "$firmware" &&
    cp /frames/manifest "$firmware" &&
    echo "vmlinux $(cat /vmlinux.build_id)" >>"$firmware/manifest" || exit 1
row 'with firmware: the modules load' \
    sh -c 'insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /api_test.ko' || exit 1
insmod /frames/btf_extra_sample.ko
frames_guest vmlinux /vmlinux.btf_extra /frames.bpf.o $tracing
same 'frames_guest comes to its end, of vmlinux' 0 $?
# The module was there before anyone asked; then one comes afterwards.
for when in before after; do
    frames_guest module btf_extra_sample /frames/chains >/tmp/said
    status=$?
    sed "s/^\(pass\|fail\) /\1 $when the first ask: /" /tmp/said
    same "frames_guest comes to its end, of a module $when the first ask" 0 $status
    same "the frames of a module $when the first ask are in sysfs" yes \
        "$([ -s /sys/kernel/btf_extra/btf_extra_sample.frames ] && echo yes)"
    rmmod btf_extra_sample
    frames_guest gone btf_extra_sample /frames/chains >/tmp/said
    sed "s/^\(pass\|fail\) /\1 $when the first ask: /" /tmp/said
    [ $when = after ] || insmod /frames/btf_extra_sample.ko
done
row 'the modules unload again' rmmod api_test btf_extra_vmlinux btf_extra

# The parameter makes it so from the beginning.
insmod /btf_extra.ko frames=1
same 'frames=1: of vmlinux from firmware' yes \
    "$([ -s /sys/kernel/btf_extra/vmlinux.frames ] && echo yes)"
insmod /btf_extra_vmlinux.ko
same 'frames=1: of the data module in its place' yes \
    "$([ -s /sys/kernel/btf_extra/vmlinux.frames ] && echo yes)"
row 'the modules unload at last' rmmod btf_extra_vmlinux btf_extra
