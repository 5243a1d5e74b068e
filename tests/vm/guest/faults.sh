#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: allocations fail, one after the other.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

mkdir -p /lib/firmware && cp -r /shapes/btf_extra /lib/firmware || exit 1
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /shapes.ko || exit 1
faults_guest calls
same 'faults_guest comes to its end' 0 $?
row 'shapes.ko unloads' rmmod shapes
