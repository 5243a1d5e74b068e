#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# vm/run.sh itself: what comes out of a guest is what happened in it. One machine for each way to end.
#
#   vm_harness.sh RESULTS     adds "pass NAME", "fail NAME", "skip NAME: reason" lines to that file
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1 test='vm harness'
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vm_harness.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"

# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh

# run NAME ARGUMENT...: run.sh's; sets code, and the files out and err of $work.
run() {
    timeout 400 vm/run.sh "$@" >"$work/out" 2>"$work/err"
    code=$?
}

says() { if grep -q -e "$1" "$work/err"; then echo yes; else cat "$work/err"; fi; }

# The fastest to boot.
some=6.12
empty=$scratch/empty
mkdir "$empty"

# ---- what goes right ----

going_right() {
    local work=$scratch/right
    mkdir -p "$work/files"
    cat >"$work/files/start" <<'END'
echo "x 0"
echo "to stderr" >&2
echo "$1"
printf 'no line end'
exit 3
END
    run $some --files "$work/files" -- sh /start 'two  words'
    same "the exit code is the command's" 3 "$code"
    same "the output is the command's" 'x 0
to stderr
two  words
no line end' "$(cat "$work/out")"
    [ "$code" = 3 ] || cat "$work/err"

    run $some --files "$empty" -- true
    same 'exit code 0' 0 "$code"
    same 'no output' '' "$(cat "$work/out")"

    run $some --files "$empty" -- sh -c 'kill -9 $$'
    same 'a killed command has 128 and the signal' 137 "$code"

    run $some --files "$empty" -- /no/such/command
    same 'a missing command' '127 init: /no/such/command: No such file or directory' \
        "$code $(cat "$work/out")"
}

# ---- what goes wrong ----

going_wrong() {
    local work=$scratch/wrong
    mkdir "$work"
    run $some --files "$empty" -- sh -c 'echo "WARNING: of the test" >/dev/kmsg; echo done'
    same 'a warning of the kernel is 124' '124 done' "$code $(cat "$work/out")"
    same 'a warning of the kernel is shown' yes "$(says '^  WARNING: of the test$')"

    run $some --timeout 6 --files "$empty" -- sh -c 'echo before; sleep 100'
    same 'not done in time is 125' 125 "$code"
    same 'not done in time is said' yes "$(says 'not done after 6 s$')"

    run $some --files "$empty" -- sh -c 'echo before; sleep 1; echo c >/proc/sysrq-trigger; echo after'
    same 'a panic is 125' '125 before' "$code $(cat "$work/out")"
    same 'a panic is said' yes "$(says 'the kernel panicked: Kernel panic - not syncing: sysrq triggered crash$')"

    run $some --append 'init=/none rdinit=/none' --files "$empty" -- true
    same 'no boot is 125' 125 "$code"

    timeout --preserve-status 5 vm/run.sh $some --files "$empty" -- sleep 100 2>"$work/err"
    same 'a run that is interrupted is 125' 125 $?
    same 'a run that is interrupted is said' yes "$(says '^run: interrupted$')"
}

# ---- what is never started ----

never_started() {
    local work=$scratch/never what arguments reason
    mkdir "$work"
    while IFS='|' read -r what arguments reason; do
        # shellcheck disable=SC2086  # a list of words
        run $arguments
        same "$what is 125" 125 "$code"
        same "$what is said" yes "$(says "^run: .*$reason")"
    done <<END
no arguments||usage:
an unknown kernel|5.10 --files $empty -- true|no kernel 5.10
no command|$some --files $empty|no command
an unknown option|$some --file $empty -- true|--file: no such option
no folder|$some --files $empty/none -- true|none: not a folder
no number|$some --timeout soon -- true|soon: not a positive number
exact time with two processors|$some --icount --cpus 2 --files $empty -- true|with one processor only
END
}

going_wrong &
going_right
never_started
wait
same 'no temporary file stays' '' "$(ls "$TMPDIR")"
same 'no machine stays' '' "$(pgrep -f "qemu-system.*$TMPDIR")"
