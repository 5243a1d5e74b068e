#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: storms around stubs, one after the other.
#
#   storms.sh [SECONDS [KIND...]]     as storm.cpp names them; all but "all", where none is named
# shellcheck source=tests/harness/rows.sh
. /rows.sh

seconds=${1:-300}
[ $# = 0 ] || shift
# phantoms.sh does the same: arm64 has no NMI here, and kprobes keep out of its unwinder.
places='phantom_sites:site_in_nmi __current_set_polling on_stack' kinds=places
[ "$(uname -m)" = x86_64 ] || places='' kinds=''
# shellcheck disable=SC2086  # a list of words
[ $# -gt 0 ] || set -- attach bpftrace tracers modules orders recursion $kinds
leaks=/sys/kernel/debug/kmemleak
mkdir -p /lib/firmware && cp -r /phantoms /lib/firmware/btf_extra || exit 1
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /shapes.ko &&
    insmod /phantom_sites.ko || exit 1
grep -q tracefs /proc/mounts || mount -t tracefs tracefs /sys/kernel/tracing

# A block is reported if it is 5 s old and the scan before has seen it unchanged.
lost() {
    sleep 6
    echo scan >$leaks
    echo scan >$leaks
    cat $leaks
}

for kind; do
    # shellcheck disable=SC2086  # a list of words
    row "$kind: functions are exposed" btf-extra expose --template /inlined.ko --best-effort \
        shapes:shape_register shapes:shape_many phantom_sites:site_called \
        $places __select_bucket 'fdget*' 'file_inode*'
    [ ! -e $leaks ] || echo clear >$leaks
    phantoms_guest "storm:$seconds:$kind"
    same "$kind: comes to its end" 0 $?
    if [ -e $leaks ]; then
        same "$kind: no memory is lost" '' "$(lost)"
    fi
done
row 'the stubs are taken away' btf-extra expose --remove
row 'the modules unload' rmmod phantom_sites shapes btf_extra_vmlinux btf_extra
