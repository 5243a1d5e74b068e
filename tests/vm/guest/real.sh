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
# Attaching and detaching wait less for the kernel's readers.
echo 1 >/sys/kernel/rcu_expedited
# A guest of arm64 takes long: there, stubs are for the suite shapes.
ways='perf module'
if [ "$(uname -m)" = x86_64 ]; then
    ways="$ways fentry"
    # Debian's 6.1 has no kprobe.multi.
    ! grep -q ' register_fprobe$' /proc/kallsyms || ways="$ways multi"
fi
for way in $ways; do
    file=$way
    case $way in
    perf) file=/vmlinux.btf_extra ;;
    module) insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1 ;;
    esac
    began=$(cut -d. -f1 /proc/uptime)
    real_guest /real.bpf.o "$file" >/tmp/said
    status=$?
    sed "s/^\(pass\|fail\) /\1 $way: /" /tmp/said
    same "$way: real_guest comes to its end" 0 $status
    echo "# $way: $(($(cut -d. -f1 /proc/uptime) - began)) s"
done
echo 0 >/sys/kernel/rcu_expedited
row 'what was exposed is taken away' btf-extra expose --remove
echo 1 >$second
[ ! -e $optimization ] || echo 1 >$optimization
