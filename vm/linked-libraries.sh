#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the libraries of a program, and its loader, one a line. They are looked for where packages of
# any architecture were unpacked to, and nothing is run:
#
#   linked-libraries.sh ROOT PROGRAM
set -euo pipefail

[ $# = 2 ] || { echo "usage: ${0##*/} ROOT PROGRAM" >&2; exit 2; }
root=$1 program=$2

# Prints the libraries that files name, each once.
named() {
    readelf -Wdl "$@" | sed -n 's/.*Shared library: \[\(.*\)\]/\1/p
        s/.*program interpreter: \(.*\)\]/\1/p' | sort -u
}

find_library() {
    local file
    # A loader is named with its folder, which may be a link on a machine.
    for file in "$root/$1" "$root"/{lib,usr/lib}/*-linux-gnu/"${1##*/}" \
        "$root"/{,usr/}lib{,64}/"${1##*/}"; do
        [ ! -e "$file" ] || { echo "$file"; return; }
    done
    echo "linked-libraries: $program: no $1 in $root" >&2
    return 1
}

files=("$program") known=()
while [ "${#files[@]}" -gt 0 ]; do
    mapfile -t names < <(comm -23 <(named "${files[@]}") <(printf '%s\n' "${known[@]}" | sort -u))
    known+=("${names[@]}")
    files=()
    for name in "${names[@]}"; do
        files+=("$(find_library "$name")")
    done
    printf '%s\n' "${files[@]}"
done
