#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In a guest of vm_suites.sh: runs suites, /SUITE.sh, one after the other, and takes away what each
# leaves. A line "=== begins SUITE" is before each, and one "=== ended SUITE STATUS SECONDS"
# after it. If a suite hangs, or something of it stays, the guest ends: the next wants a new one.
#
#   suites.sh LIMIT SUITE...      LIMIT: seconds for each; $PARTS: the arguments of each
# shellcheck source=tests/harness/rows.sh
. /rows.sh

uptime() { cut -d. -f1 /proc/uptime; }

# Programs and files that were just closed may hold a module for a moment.
unload_all() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        left=$(cut -d' ' -f1 /proc/modules)
        [ -n "$left" ] || return 0
        # shellcheck disable=SC2086  # a list of words
        rmmod $left 2>/dev/null || sleep 1
    done
    echo "fail it leaves modules: $(echo "$left" | xargs)"
    return 1
}

limit=$1
shift
for suite; do
    echo "=== begins $suite"
    echo "=== begins $suite" >/dev/kmsg
    began=$(uptime)
    # shellcheck disable=SC2086  # a list of words
    timeout "$limit" sh "/$suite.sh" ${PARTS:-}
    status=$?
    [ $status != 143 ] || exit 143
    unload_all || exit 1
    rm -rf /lib/firmware /tmp/*
    echo "=== ended $suite $status $(($(uptime) - began))"
done
