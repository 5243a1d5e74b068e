#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# libbtf_extra, on each stock kernel, through the module and by perf kprobes: the arguments that its
# programs see are those that were passed (tests/vm/library).
#
#   library.sh RESULTS     adds "pass NAME" and "fail NAME" lines to that file
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/library.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "fail vm library: $1" >>"$results"
    exit 1
}

build_programs() {
    clang-14 -target bpf -D__TARGET_ARCH_x86 -g -O2 -Wall -Wextra -Wno-unused-parameter -Werror -I. \
        "-I/usr/include/$(gcc -print-multiarch)" -c -o "$scratch/library.bpf.o" \
        tests/vm/library/library.bpf.c || return 1
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory \
        build/release/vm/library/library_guest
}

cat >"$scratch/start" <<'END'
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
folder=/lib/firmware/btf_extra/$(uname -r)
mkdir -p "$folder" && cp /vmlinux.btf_extra "$folder" || exit 1
[ "$1" = perf ] || { insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko; } || exit 1
library_guest /library.bpf.o "$1"
END

# on_kernel NAME WAY: in a subshell.
on_kernel() {
    local name=$1 way=$2 files=$scratch/$1
    vm/prepare.sh "$name" "$files" >/dev/null || fail "$name: build of the modules"
    cp "$scratch"/{start,library.bpf.o} "$files"
    vm/add-program.sh "$files" build/release/vm/library/library_guest ||
        fail "$name: programs of the guest"
    tests/guest_rows.sh "$results" "vm library: $name, $way" "$name" --files "$files" --timeout 300 -- \
        sh /start "$way"
}

build_programs || fail 'build of the programs'
for kernel in 6.1 6.12 7.x; do
    for way in module perf; do
        (on_kernel $kernel $way)
    done
done
