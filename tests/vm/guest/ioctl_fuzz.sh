#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: random calls of the device.
#
#   ioctl_fuzz.sh [CALLS [SEED]]     CALLS: 0: without end
# shellcheck source=tests/harness/rows.sh
. /rows.sh

# shellcheck source=tests/vm/guest/firmware.sh
. /firmware.sh
load_with_firmware && insmod /btf_extra_vmlinux.ko || exit 1
ioctl_fuzz_guest "${1:-5000}" "${2:-1}"
same 'ioctl_fuzz_guest comes to its end' 0 $?
