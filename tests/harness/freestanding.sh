#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The C core, compiled for no operating system and linked into one object, must call nothing but
# mem*() and str*(), and hold no data that can be written to.
#
#   freestanding.sh OBJECT RESULTS
set -uo pipefail
object=$1 results=$2 test=core
# shellcheck source=tests/harness/rows.sh
. "$(dirname "$0")/rows.sh"

nm "$object" >/dev/null || exit 1

nothing 'calls only mem*() and str*()' \
    "$(nm -u "$object" | awk '$2 !~ /^(mem|str)[a-z]+$/')"
nothing 'no variables' "$(nm "$object" | awk '$2 ~ /^[BbCDdGgSs]$/')"
