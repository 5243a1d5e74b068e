#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest, on one of its processors: functions of the kernel, traced during a workload.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

optimization=/proc/sys/debug/kprobes-optimization
second=/sys/devices/system/cpu/cpu1/online
ifconfig lo 127.0.0.1 up || exit 1
# Optimized probes, where there are any, run with interrupts on: what a timer then sends is missed by
# all probes.
[ ! -e $optimization ] || echo 0 >$optimization || exit 1
echo 0 >$second || exit 1
for way in perf module; do
    file=/vmlinux.btf_extra
    [ $way = perf ] || { file=module && insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko; } || exit 1
    real_guest /real.bpf.o $file >/tmp/said
    status=$?
    sed "s/^\(pass\|fail\) /\1 $way: /" /tmp/said
    same "$way: real_guest comes to its end" 0 $status
done
echo 1 >$second
[ ! -e $optimization ] || echo 1 >$optimization
