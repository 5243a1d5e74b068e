#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints a folder with the tracing tools of a suite of the archive, as Debian ships them, with the
# libraries of that suite and its ld.so:
#
#   fetch-tools.sh SUITE
#
# It can be put anywhere in a guest, and a tool runs there as FOLDER/ld.so --library-path FOLDER
# FOLDER/TOOL. Nothing is installed. It is as new as the suite's bpftrace.
set -euo pipefail

suite=${1:?usage: fetch-tools.sh SUITE}
tools=(bpftrace bpftool perf trace-cmd)

say() { echo "fetch-tools: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

# The packages that must go with these where nothing is installed, "NAME=VERSION".
packages_with() {
    apt-get -s install --no-install-recommends "$@" |
        sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p'
}

# take ROOT TOOL: it and what it is linked with; no guest needs debug information.
take() {
    local path linked
    path=$(find "$1/usr/bin" "$1/usr/sbin" -name "$2" -print -quit)
    [ -n "$path" ] || { say "no package has $2"; return 1; }
    linked=$("$loader" --library-path "$1/usr/lib/x86_64-linux-gnu:$1/lib/x86_64-linux-gnu" \
        --list "$path" | sed -n 's/.* => \([^ ]*\) .*/\1/p') || return 1
    # shellcheck disable=SC2086  # a list of words
    cp -L --update $linked "$path" .
}

fill() {
    local packages tool loader
    say "downloading the tools of $suite"
    mapfile -t packages < <(packages_with bpftrace bpftool linux-perf trace-cmd)
    [ "${#packages[@]}" -gt 3 ] && mkdir root debs && (cd debs && download "${packages[@]}") || return 1
    for tool in debs/*.deb; do dpkg -x "$tool" root || return 1; done
    loader=$(find root -name 'ld-linux-x86-64.so.2' -type f -print -quit)
    cp "$loader" ld.so || return 1
    for tool in "${tools[@]}"; do take root "$tool" || return 1; done
    rm -r root debs
}

# shellcheck disable=SC2034  # give reads them
name=tools-$suite pattern=bpftrace
give tools trace-cmd
