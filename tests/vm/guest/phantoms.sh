#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: phantom functions.
#
#   phantoms.sh [SECONDS]     how long the storm is
# shellcheck source=tests/harness/rows.sh
. /rows.sh

mkdir -p /lib/firmware && cp -r /shapes/btf_extra /lib/firmware || exit 1
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /shapes.ko || exit 1
grep -q tracefs /proc/mounts || mount -t tracefs tracefs /sys/kernel/tracing
expose() { btf-extra expose --template /inlined.ko "$@"; }

refused() { ! insmod /inlined.ko && dmesg | tail -n 3 | grep -q 'refused: it is the template'; }
row 'the template itself is refused' refused
phantoms_guest edited
same 'modules of stubs that were edited: comes to its end' 0 $?
row 'functions are exposed' expose shapes:shape_register shapes:shape_many \
    __select_bucket
bucket=$(cd /sys/kernel/btf_extra/inlined && echo __select_bucket*)
phantoms_guest programs stack "recursion:$bucket" modules
same 'phantoms_guest comes to its end' 0 $?
row 'more functions are exposed' expose --best-effort 'fdget*' 'file_inode*'
phantoms_guest "storm:${1:-10}"
same 'the storm comes to its end' 0 $?
row 'the stubs are taken away' btf-extra expose --remove
row 'the modules unload' rmmod shapes btf_extra_vmlinux btf_extra
