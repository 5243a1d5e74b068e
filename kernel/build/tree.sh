#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Puts btf_extra into a kernel source tree, to be built with that kernel:
#
#   kernel/build/tree.sh SRC [link]
#
# The patches of kernel/patches/<series>, the series by the version of SRC, and a copy of the sources
# (or links to them) in SRC/kernel/bpf/btf_extra and SRC/include. On a tree that has them all it
# brings the copy up to date, and does nothing else. All patches apply, or nothing is changed.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
say() { echo "kernel-tree: $*"; }
fail() { say "$*" >&2; exit 1; }

[ -n "${1:-}" ] || fail 'usage: make kernel-tree SRC=folder [LINK=1]'
tree=$(realpath -e "$1" 2>/dev/null) || fail "$1: no such folder"
link=${2:-}
if [ ! -e "$tree/Kbuild" ] || [ ! -e "$tree/Makefile" ]; then fail "$1: no kernel source"; fi
value() { sed -n "s/^$1 *= *\([0-9]*\)$/\1/p" "$tree/Makefile"; }
version=$(value VERSION).$(value PATCHLEVEL)

# 7.x is for 7.0 and all that follow it.
series=${version%%.*}.x
[ -d "$top/kernel/patches/$series" ] || fail "$1: no patches for Linux $version; patches exist for" \
    "$(cd "$top/kernel/patches" && echo *)"
patches=("$top/kernel/patches/$series"/*.patch)

# No repository above the tree has a say in where the patches go.
export GIT_CEILING_DIRECTORIES=${tree%/*}
# All are one patch to git: of several it would apply each that it can.
apply() { (cd "$tree" && cat "${patches[@]}" | git apply --whitespace=nowarn "$@"); }

ours=$tree/kernel/bpf/btf_extra
if [ ! -e "$ours/patches" ]; then
    log=$(apply --check 2>&1) ||
        fail "$1: the series $series does not apply: $(head -n 1 <<<"${log#error: }")"
    apply
    mkdir -p "$ours"
    cat "${patches[@]}" >"$ours/patches"
    say "Linux $version: ${#patches[@]} patches applied"
elif ! cat "${patches[@]}" | cmp -s - "$ours/patches"; then
    fail "$1: has patches of btf-extra other than kernel/patches/$series; take a fresh source"
fi

# shellcheck source=kernel/build/copy-sources.sh
. "$top/kernel/build/copy-sources.sh"
list_sources | sed -e 's,^include/.*,& &,' -e t -e 's,.*,& kernel/bpf/btf_extra/&,' |
    update_copy "$tree" "$ours/sources" "$link"
say "kernel/bpf/btf_extra is ${link:+linked and }up to date"
