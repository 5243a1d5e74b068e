#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Builds btf_extra.ko and btf_extra_vmlinux.ko for a kernel of kernels.list, the latter from its debug
# vmlinux by build/release/btf-extra, and test modules that use what btf_extra.ko exports:
#
#   build-modules.sh NAME [FOLDER...]      as in: build-modules.sh 6.12 tests/vm/api
#
# The kernel's own build made the two for "intree".
#
# Prints the folder, build/kernel/NAME. It has vmlinux.btf_extra; kernel/btf_extra.ko;
# kernel/inlined/inlined.ko; kernel/data/btf_extra_vmlinux.ko; FOLDER/*.ko for each FOLDER, a path from the
# top of the sources; and vmlinux, a link to the kernel's. Files that are up to date are not touched.
set -euo pipefail

vm=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$vm")
fail() { echo "build-modules: $*" >&2; exit 1; }

[ $# -ge 1 ] || fail 'usage: build-modules.sh NAME [FOLDER...]'
name=$1
shift
for folder; do
    [ -e "$top/$folder/Kbuild" ] || fail "$folder: no Kbuild in it"
done
command=$top/build/release/btf-extra
[ -x "$command" ] || fail 'no build/release/btf-extra; run: make userspace'
kernel=$("$vm/fetch-kernel.sh" "$name") || fail "no kernel $name"
own=$kernel/lib/modules/$(cat "$kernel/release")/kernel/kernel/bpf/btf_extra/kernel
vmlinux=$kernel/vmlinux
[ -e "$vmlinux" ] || vmlinux=$("$vm/fetch-vmlinux.sh" "$name" "$(cat "$kernel/version")") ||
    fail "no debug vmlinux of kernel $name"

out=$top/build/kernel/$name
blob=$out/vmlinux.btf_extra
mkdir -p "$out"
exec {lock}>"$out/modules.lock"
flock "$lock"

copy_own() {
    mkdir -p "$out/kernel/"{data,inlined}
    cp -r "$top/include" "$out/"
    cp "$own/btf_extra.ko" "$out/kernel/"
    cp "$own/data/btf_extra_vmlinux.ko" "$out/kernel/data/"
    cp "$own/inlined/inlined.ko" "$out/kernel/inlined/"
    cp "$kernel/headers/kernel/bpf/btf_extra/kernel/data/vmlinux.btf_extra" "$out/"
}

[ "$(cat "$kernel/arch" 2>/dev/null)" != arm64 ] || export CROSS_COMPILE=aarch64-linux-gnu-

# shellcheck source=vm/compiled-files.sh
. "$vm/compiled-files.sh"
export CCACHE_BASEDIR=$top
compiler=()  # that of Debian's headers
[ -e "$kernel/headers/.kernelvariables" ] || compiler=(CC="${cached_gcc:?}")

build_modules() {
    local made_of
    # The file notes from which vmlinux it was made, because another kernel's vmlinux may be the
    # older file.
    made_of="$vmlinux $(stat -L -c '%s %y' "$vmlinux" "$command" | xargs)"
    if [ ! -e "$blob" ] || [ "$(cat "$out/made_of" 2>/dev/null)" != "$made_of" ]; then
        "$command" generate -o "$out/new.btf_extra" "$vmlinux" >&2 || fail "$vmlinux: no blob"
        cmp -s "$out/new.btf_extra" "$blob" || mv "$out/new.btf_extra" "$blob"
        rm -f "$out/new.btf_extra"
        echo "$made_of" >"$out/made_of"
    fi
    ln -sfn "$vmlinux" "$out/vmlinux"
    "$top/kernel/build/build.sh" "$kernel/headers" "$out" --blob "$blob" W=1 KCFLAGS=-Werror "${compiler[@]}" >&2
}

symbols=$out/kernel/Module.symvers
if [ -e "$own" ]; then
    copy_own
    symbols=
else
    build_modules
fi
for folder; do
    mkdir -p "$out/$folder"
    for file in "$top/$folder"/{Kbuild,*.[ch]}; do
        [ ! -e "$file" ] || cmp -s "$file" "$out/$folder/${file##*/}" || cp "$file" "$out/$folder/"
    done
    "$vm/kbuild.sh" "$name" -s M="$out/$folder" KBUILD_EXTRA_SYMBOLS="$symbols" \
        W=1 KCFLAGS=-Werror "${compiler[@]}" modules >&2
done
echo "$out"
