#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Fills a folder with what a guest of a kernel in kernels.list needs to have everything loaded:
#
#   prepare.sh NAME DIR [FOLDER...]     FOLDERs of test modules, as for build-modules.sh
#
# Puts into DIR: btf_extra.ko, inlined.ko, btf_extra_vmlinux.ko, vmlinux.btf_extra, vmlinux.build_id
# and the command, btf-extra.
# Prints the folder of build-modules.sh.
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: ${0##*/} NAME DIR [FOLDER...]" >&2; exit 2; }
vm=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$vm")
mkdir -p "$2"
files=$(cd "$2" && pwd)
modules=$("$vm/build-modules.sh" "$1" "${@:3}")
strip=strip built=release
if [ "$(cat "$("$vm/fetch-kernel.sh" "$1")/arch" 2>/dev/null)" = arm64 ]; then
    strip=aarch64-linux-gnu-strip built=arm64
fi
cp "$modules/kernel/btf_extra.ko" "$modules/vmlinux.btf_extra" "$files"
# Its debug information would be many times what it holds.
$strip -g -o "$files/btf_extra_vmlinux.ko" "$modules/kernel/data/btf_extra_vmlinux.ko"
$strip -g -o "$files/inlined.ko" "$modules/kernel/inlined/inlined.ko"
# The kernel that is built with btf_extra has it only in the data module.
[ ! -e "$modules/vmlinux" ] ||
    readelf -n "$modules/vmlinux" | sed -n 's/.*Build ID: //p' >"$files/vmlinux.build_id"
"$vm/add-program.sh" "$files" "$top/build/$built/btf-extra" >&2
echo "$modules"
