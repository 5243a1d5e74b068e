#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Measures what CONFIG_DEBUG_INFO_BTF_EXTRA costs in a kernel build. The lean kernel is built without
# a compiler cache, and then the part of the option is built once more. Both are measured in seconds of
# CPU time (user and system). The exit code is 1 if the bar was missed.
set -euo pipefail
cd "$(dirname "$0")/../.."

top=$PWD
# shellcheck source=vm/lean-make.sh
. vm/lean-make.sh
cached_gcc=gcc

out=$top/build/kernel/build-bench
rm -rf "$out"
mkdir -p "$out/build"
trap 'rm -rf "$out"' EXIT

# cpu_of COMMAND... sets cpu to the seconds that the command took.
cpu_of() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$out/log" 2>&1; } 2>"$out/time" || { tail -n 20 "$out/log" >&2; exit 1; }
    cpu=$(awk '{ printf "%.1f", $1 + $2 }' "$out/time")
}

xz -T0 -dc "$(vm/fetch-source.sh 7.x)" | tar --extract --strip-components=1 --directory "$out"
kernel/build/tree.sh "$out"
cp "$(vm/fetch-kernel.sh lean)/headers/.config" "$out/build/.config"
lean_make "$out" olddefconfig
cpu_of lean_make "$out" bzImage modules
all=$cpu

# The other modules are also linked again and get their BTF. That time counts as the option's.
find "$out/build" -name '*.ko' -delete
rm -rf "$out/build/kernel/bpf/btf_extra"
cpu_of lean_make "$out" modules
added=$cpu
cpu_of lean_make "$out" modules
awk -v all="$all" -v added="$added" -v nothing="$cpu" 'BEGIN {
    added -= nothing
    share = added / (all - added)
    printf "CPU of a kernel build: %.1f s without the option, %.1f s more with it\n",
        all - added, added
    printf "  %s  the option, of the build without it %40.3g%%  (at most 10%%)\n",
        share <= 0.1 ? "pass" : "FAIL", 100 * share
    exit share > 0.1
}'
