#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: files that must be taken or refused as the firmware of a module, and questions to one
# that is taken. There is no other object.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

folder=/lib/firmware/btf_extra/$(uname -r)
mkdir -p "$folder" && echo 'btf_extra_rows 00' >"$folder/manifest"
insmod /btf_extra.ko || exit 1
core_guest /btf_extra_rows.ko
same 'core_guest comes to its end' 0 $?
row 'the module unloads' rmmod btf_extra
