#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The C core, compiled for no operating system and linked into one object, must call nothing but
# mem*() and str*(), and hold no data that can be written to.
#
#   freestanding.sh OBJECT RESULTS
set -uo pipefail
object=$1 results=$2

nm "$object" >/dev/null || exit 1

# verdict NAME LINES: passes if there are none.
verdict() {
    if [ -z "$2" ]; then
        echo "pass $1" >>"$results"
    else
        echo "fail $1" >>"$results"
        printf '%s:\n%s\n' "$1" "$2"
    fi
}

verdict 'core: calls only mem*() and str*()' \
    "$(nm -u "$object" | awk '$2 !~ /^(mem|str)[a-z]+$/')"
verdict 'core: no variables' "$(nm "$object" | awk '$2 ~ /^[BbCDdGgSs]$/')"
