#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: attaches to every site of every function.
#
#   sweep.sh [notrace | fentry] [FIRST [END]]     of the functions, as sweep_guest counts them
# shellcheck source=tests/harness/rows.sh
. /rows.sh

insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1
sweep_guest "$@"
same 'sweep_guest comes to its end' 0 $?
