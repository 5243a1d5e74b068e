#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the folder of the lean kernel with the modules that its own build makes of this checkout,
# build/kernel/intree: a copy of what build-lean.sh built, with btf_extra brought up to date, and "make
# modules" with build/release/btf-extra. In it, as in that of build-lean.sh: vmlinuz, vmlinux, release,
# headers, source; and lib/modules/<release>, what "make modules_install" gave, stripped.
#
# Files that are up to date are not made again.
set -euo pipefail

vm=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$vm")
# shellcheck source=vm/lean-make.sh
. "$vm/lean-make.sh"
# shellcheck source=kernel/build/copy-sources.sh
. "$top/kernel/build/copy-sources.sh"
die() { echo "build-intree: $*" >&2; exit 1; }

command=$top/build/release/btf-extra
[ -x "$command" ] || die 'no build/release/btf-extra; run: make userspace'
lean=$("$vm/build-lean.sh") || die 'no lean kernel'
out=$top/build/kernel/intree
mkdir -p "$out"
exec {lock}>"$out/lock"
flock "$lock"

# Sources are never written to, so that they may be shared. The tools were built by their full names.
copy_lean() {
    local sources
    mapfile -t sources < <(find "$lean/source" -mindepth 1 -maxdepth 1 ! -name build)
    rm -rf "${out:?}"/{source,lib,lean,made_of}
    mkdir "$out/source"
    cp -al -t "$out/source" "${sources[@]}" 2>/dev/null || cp -a -t "$out/source" "${sources[@]}"
    cp -a "$lean/source/build" "$out/source"
    find "$out/source/build/tools" \( -name '*.cmd' -o -name '*.d' \) -print0 |
        xargs -0 sed -i "s,$lean/source,$out/source,g"
    cp "$lean/vmlinuz" "$lean/release" "$out"
    ln -sfn source/build "$out/headers"
    ln -sfn headers/vmlinux "$out/vmlinux"
    echo "$lean" >"$out/lean"
}

build() {
    "$top/kernel/build/tree.sh" "$out/source" && lean_make "$out/source" modules &&
        rm -rf "${out:?}/lib" && lean_make "$out/source" modules_install \
        INSTALL_MOD_PATH="$out" INSTALL_MOD_STRIP=1 DEPMOD=true
}

made_of=$({ echo "$lean" && sha256sum "$command" &&
    list_sources | (cd "$top" && xargs sha256sum); } | sha256sum)
if [ "$(cat "$out/made_of" 2>/dev/null)" != "$made_of" ]; then
    [ "$(cat "$out/lean" 2>/dev/null)" = "$lean" ] || copy_lean
    rm -f "$out/made_of"
    if ! build >"$out/log" 2>&1; then
        tail -n 20 "$out/log" >&2
        die "the build failed: $out/log"
    fi
    echo "$made_of" >"$out/made_of"
fi
echo "$out"
