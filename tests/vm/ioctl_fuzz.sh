# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets files
# Random calls of the device (tests/vm/ioctl_fuzz): `make fuzz-vm` runs them without end.
prepare() { vm/add-program.sh "$files" "$built"/vm/ioctl_fuzz/ioctl_fuzz_guest; }
