# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=sh
# The rows of a test in a shell script, of this machine or, with busybox, of a guest; to be sourced. A row is
# one line, "pass NAME", "fail NAME" or "skip NAME: REASON". It goes to the file $results, or to stdout where
# there is none. The actual and the expected text go to stdout.
#
#   test       a variable: names begin with it and ": " where it is set

add_row() { echo "$1 ${test:+$test: }$2" >>"${results:-/dev/stdout}"; }
passed() { add_row pass "$1"; }
failed() { add_row fail "$1"; }

# same NAME WANTED GOT
same() {
    if [ "$2" = "$3" ]; then
        passed "$1"
    else
        printf '%s\nwanted: %s\ngot:    %s\n' "$1" "$2" "$3"
        failed "$1"
    fi
}

# nothing NAME LINES: passes if there are none.
nothing() { same "$1" '' "$2"; }

# row NAME COMMAND...: the command succeeds. Where it does not, what it said is shown, and row fails.
row() {
    row_name=$1
    shift
    if row_said=$("$@" 2>&1); then
        passed "$row_name"
    else
        printf '%s\n' "$row_said" | tail -n 40
        failed "$row_name"
        return 1
    fi
}
