#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints a folder with tools of a suite of the archive, as Debian ships them, with the libraries of
# that suite and its ld.so:
#
#   fetch-tools.sh SUITE[:ARCHITECTURE] [SET]      SET: tools, which trace, by default; servers
#
# It can be put anywhere in a guest, and a tool runs there as FOLDER/ld.so --library-path FOLDER
# FOLDER/TOOL. Nothing is installed. It is as new as the first package of the set.
set -euo pipefail

suite=${1:?usage: fetch-tools.sh SUITE[:ARCHITECTURE] [SET]}
set=${2:-tools}
case $set in
tools) tools=(bpftrace bpftool perf trace-cmd) packages=(bpftrace bpftool linux-perf trace-cmd) ;;
# The command loads libcurl where it needs it.
servers) tools=(debuginfod nginx libcurl.so.4) packages=(debuginfod nginx libcurl4) ;;
*) echo "fetch-tools: $set: no such set" >&2; exit 2 ;;
esac

say() { echo "fetch-tools: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

# take ROOT TOOL: it and what it is linked with; no guest needs debug information.
take() {
    local path linked
    path=$(find "$1/usr/bin" "$1/usr/sbin" "$1/usr/lib" -name "$2" -print -quit)
    [ -n "$path" ] || { say "no package has $2"; return 1; }
    linked=$("$vm/linked-libraries.sh" "$1" "$path" | sort -u) || return 1
    # shellcheck disable=SC2086  # a list of words
    cp -L --update $linked "$path" .
}

fill() {
    local all tool
    say "downloading the $set of $suite"
    mapfile -t all < <(packages_with "${packages[@]}")
    [ "${#all[@]}" -gt 3 ] && mkdir root debs && (cd debs && download "${all[@]}") || return 1
    for tool in debs/*.deb; do dpkg -x "$tool" root || return 1; done
    for tool in "${tools[@]}"; do take root "$tool" || return 1; done
    mv ld-linux-* ld.so || return 1
    rm -r root debs
}

# shellcheck disable=SC2034  # give reads them
name=$set-${suite/:/-} pattern=${packages[0]}
give tools "${tools[-1]}"
