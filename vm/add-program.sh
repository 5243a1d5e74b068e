#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Copies programs of this machine, and the libraries they are linked with, into a folder that
# becomes the root of a guest (run.sh --files ROOTDIR), the programs into its /bin:
#
#   add-program.sh ROOTDIR PROGRAM...      PROGRAM: a path, or a name that the shell would find
set -euo pipefail

fail() { echo "add-program: $*" >&2; exit 1; }

[ $# -ge 2 ] || fail 'usage: add-program.sh ROOTDIR PROGRAM...'
root=$1
shift
for program; do
    path=$(type -P "$program") || fail "$program: no such program"
    mkdir -p "$root/bin"
    cp -L --remove-destination "$path" "$root/bin/"
    # Debug information would be most of what the guest has to unpack.
    strip -g "$root/bin/${path##*/}" 2>/dev/null || true
    # One that is linked statically has none.
    linked=$(ldd "$path" 2>/dev/null) || continue
    ! grep -q 'not found' <<<"$linked" || fail "$program: $(grep 'not found' <<<"$linked" | xargs)"
    while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -L --remove-destination "$library" "$root$library"
    done < <(grep -o '/[^ ]*' <<<"$linked")
done
