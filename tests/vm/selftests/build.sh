#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Builds some of the kernel's own BPF selftests, those that attach programs to functions, and puts
# what a guest needs of them into a folder:
#
#   build.sh KERNEL DIR      KERNEL: of vm/kernels.list, with its source
#
# DIR has selftests (runner.c), its objects, bpf_testmod.ko.
set -euo pipefail

top=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$2"
files=$(cd "$2" && pwd)
kernel=$("$top/vm/fetch-kernel.sh" "$1")
out=$top/build/kernel/$1-selftests
mkdir -p "$out/source" "$out/testmod"

# All of it is of one kernel. Its source has been pruned of what a build does not need.
made_of=$(readlink -f "$kernel/vmlinux" && stat -L -c '%s %y' "$kernel/vmlinux")
if [ "$(cat "$out/made_of" 2>/dev/null)" != "$made_of" ]; then
    rm -rf "$out" && mkdir -p "$out/source" "$out/testmod"
    archive=$("$top/vm/fetch-source.sh" 7.x)
    xz -T0 -dc "$archive" | tar --extract --strip-components=1 --directory "$out/source" --wildcards \
        '*/tools' '*/scripts' '*/kernel/bpf' '*/include/uapi' '*/include/linux' '*/arch/x86/include' \
        '*/arch/x86/lib' '*/Makefile' '*/Kbuild'
    echo "$made_of" >"$out/made_of"
fi
unset MAKEFLAGS MFLAGS MAKELEVEL
make -s -j"$(nproc)" -f "$top/tests/vm/selftests/Makefile" SOURCE="$out/source" \
    VMLINUX="$kernel/vmlinux" OUT="$out" >&2

# One test of its many, which we do not run, asks for control groups or it does not load.
tests=$out/source/tools/testing/selftests/bpf
for file in "$tests"/test_kmods/bpf_testmod*.[ch]; do
    sed '/^static int st_ops_init(/,/^}/s/return -EINVAL;/return 0;/' "$file" >"$out/testmod/new"
    cmp -s "$out/testmod/new" "$out/testmod/${file##*/}" ||
        mv "$out/testmod/new" "$out/testmod/${file##*/}"
done
rm -f "$out/testmod/new"
cat >"$out/testmod/Kbuild" <<'END'
obj-m := bpf_testmod.o
CFLAGS_bpf_testmod.o := -I$(src)
END
"$top/vm/kbuild.sh" "$1" -s M="$out/testmod" RESOLVE_BTFIDS_FLAGS= KCFLAGS=-w modules >&2

cp "$out/guest"/*.bpf.o "$files"
strip -o "$files/selftests" "$out/guest/selftests"
strip -g -o "$files/bpf_testmod.ko" "$out/testmod/bpf_testmod.ko"
