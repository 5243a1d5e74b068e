#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Fills a folder with what a guest of a kernel in kernels.list needs to have everything loaded:
#
#   prepare.sh NAME DIR      DIR/btf_extra.ko, btf_extra_vmlinux.ko, vmlinux.btf_extra, btf-extra
#
# Prints the path of the kernel's vmlinux. The modules are built in build/kernel/NAME.
set -euo pipefail

[ $# = 2 ] || { echo "usage: ${0##*/} NAME DIR" >&2; exit 2; }
vm=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$vm")
name=$1
mkdir -p "$2"
files=$(cd "$2" && pwd)

kernel=$("$vm/fetch-kernel.sh" "$name")
vmlinux=$kernel/vmlinux
[ -e "$vmlinux" ] || vmlinux=$("$vm/fetch-vmlinux.sh" "$name" "$(cat "$kernel/version")")
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -C "$top" \
    build/release/btf-extra >&2
"$top/build/release/btf-extra" generate -o "$files/vmlinux.btf_extra" "$vmlinux" >&2
out=$top/build/kernel/$name
"$top/kernel/build.sh" "$kernel/headers" "$out" --blob "$files/vmlinux.btf_extra" >&2
cp "$out/kernel/btf_extra.ko" "$files"
strip -g -o "$files/btf_extra_vmlinux.ko" "$out/kernel/data/btf_extra_vmlinux.ko"
"$vm/add-program.sh" "$files" "$top/build/release/btf-extra" >&2
echo "$vmlinux"
