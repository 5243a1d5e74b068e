#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Runs a guest that reports rows, and reports them as those of a test, with one more for the guest
# itself: that its command ended with 0 and its kernel complained of nothing.
#
#   guest_rows.sh RESULTS TEST RUN-ARGUMENT...     as in: guest_rows.sh FILE 'vm real: 6.1' 6.1 \
#                                                  --files DIR -- sh /start
#
# A line "pass NAME" or "fail NAME" of the guest becomes "pass TEST: NAME" in RESULTS; all that it
# prints is printed. RUN-ARGUMENTs are those of vm/run.sh.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1
test=$2
shift 2
out=$(mktemp "${TMPDIR:-/tmp}/guest_rows.XXXXXX") || exit 1
trap 'rm -f "$out"' EXIT

vm/run.sh "$@" 2>&1 | tee "$out"
status=${PIPESTATUS[0]}
sed -n "s/^\(pass\|fail\) /\1 ${test//\//\\/}: /p" "$out" >>"$results"
if [ "$status" = 0 ]; then
    echo "pass $test: the guest and its kernel's log" >>"$results"
else
    # Of 124 and 125 vm/run.sh's last line says why; it may be all that is left of the run.
    case $status in
    124 | 125) reason=": $(sed -n 's/^run: //p' "$out" | tail -n 1)" ;;
    *) reason='' ;;
    esac
    echo "fail $test: the guest, exit code $status$reason" >>"$results"
fi
