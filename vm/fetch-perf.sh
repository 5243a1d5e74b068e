#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints a folder with the newest perf of Debian's backports, as fetch-tools.sh has the tools of a
# suite. perf knows the inlined functions of the kernel's stacks since 6.13; trixie's is older.
set -euo pipefail

say() { echo "fetch-perf: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

fill() {
    local tools
    tools=$(unset APT_CONFIG && "$vm/fetch-tools.sh" trixie) && download_deb "$2" "$1" "$3" || return 1
    cp "$tools"/* . && dpkg -x "$deb" root && cp root/usr/bin/perf perf || return 1
    rm -r root "$deb"
    ! ./ld.so --library-path . --list ./perf | grep 'not found' >&2 ||
        { say "$2: trixie's tools lack a library of it"; return 1; }
}

# shellcheck disable=SC2034  # give reads them
name=trixie-backports pattern=linux-perf suite=trixie-backports
give perf perf
