#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The build of modules for a kernel in kernels.list, with the compiler that the kernel is made with:
#
#   kbuild.sh NAME MAKE-ARGUMENT...      as in: kbuild.sh 6.12 M=$PWD/folder modules
#
# M= and MO= are absolute paths; what is built lies there, as of any kernel build.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: ${0##*/} NAME MAKE-ARGUMENT..." >&2
    exit 2
fi
folder=$("$(dirname "$0")/fetch-kernel.sh" "$1")
shift
# Under another make, its flags are not for this build.
exec env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -C "$folder/headers" "$@"
