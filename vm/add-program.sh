#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Copies programs, and the libraries they are linked with, into a folder that becomes the root of a
# guest (run.sh --files ROOTDIR), the programs into its /bin:
#
#   add-program.sh ROOTDIR PROGRAM...      PROGRAM: a path, or a name that the shell would find
#
# The libraries are those of this machine, or of fetch-sysroot.sh for a program of another
# architecture.
set -euo pipefail

fail() { echo "add-program: $*" >&2; exit 1; }

vm=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || fail 'usage: add-program.sh ROOTDIR PROGRAM...'
root=$1
shift

# "FILE PATH" of each library of a program, where it is here and where in the guest.
libraries_here() {
    local linked
    # A program that is linked statically has none.
    linked=$(ldd "$1" 2>/dev/null) || return 0
    ! grep -q 'not found' <<<"$linked" || fail "$1: $(grep 'not found' <<<"$linked" | xargs)"
    grep -o '/[^ ]*' <<<"$linked" | sed 's/.*/& &/'
}

libraries_of_arm64() {
    local sysroot file
    sysroot=$("$vm/fetch-sysroot.sh" arm64) || fail 'no libraries of arm64'
    "$vm/linked-libraries.sh" "$sysroot" "$1" | while read -r file; do
        echo "$file ${file#"$sysroot"}"
    done
}

for program; do
    path=$(type -P "$program") || fail "$program: no such program"
    mkdir -p "$root/bin"
    cp -L --remove-destination "$path" "$root/bin/"
    copy=$root/bin/${path##*/}
    # Debug information would be most of what the guest has to unpack.
    case $(readelf -h "$copy" 2>/dev/null) in
    *AArch64*)
        aarch64-linux-gnu-strip -g "$copy"
        libraries=$(libraries_of_arm64 "$path")
        ;;
    *)
        strip -g "$copy" 2>/dev/null || true
        libraries=$(libraries_here "$path")
        ;;
    esac
    while read -r file place; do
        [ -n "$file" ] || continue
        mkdir -p "$root$(dirname "$place")"
        cp -L --remove-destination "$file" "$root$place"
    done <<<"$libraries"
done
