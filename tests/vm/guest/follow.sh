#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: programs of fentry at the inlined calls of their functions.
#
#   follow.sh [PART...]     of follow_guest; all where none is named
# shellcheck source=tests/harness/rows.sh
. /rows.sh

mkdir -p /lib/firmware && cp -r /shapes/btf_extra /lib/firmware || exit 1
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /shapes.ko || exit 1
# Only a patched kernel has it.
complete=/sys/module/btf_extra/parameters/complete
[ ! -e $complete ] || same 'a patched kernel completes programs by default' all "$(cat $complete)"
follow_guest "$@"
same 'follow_guest comes to its end' 0 $?
row 'nothing is left: the modules unload' rmmod shapes btf_extra_vmlinux btf_extra
