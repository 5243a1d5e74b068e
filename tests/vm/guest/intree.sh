#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: where programs go before btf_extra comes, with it, and after it has gone.
#
#   intree.sh [PART...]     of intree_guest, with only btf_extra; all if none is named
# shellcheck source=tests/harness/rows.sh
. /rows.sh

row 'the test module loads' insmod /intree_test.ko || exit 1
if [ $# -gt 0 ]; then
    insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && intree_guest with none "$@"
    exit
fi
intree_guest before /tmp/places && insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1
intree_guest with /tmp/places
same 'intree_guest comes to its end' 0 $?
# A part that was cut short may have left these.
rmmod btf_extra_vmlinux btf_extra 2>/dev/null
intree_guest after /tmp/places
same 'intree_guest comes to its end without btf_extra' 0 $?
row 'the test module unloads' rmmod intree_test
