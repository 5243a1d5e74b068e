#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the folder of the lean kernel: Debian's newest 7.x source with the patches of kernel/patches
# and btf_extra in it, tinyconfig and lean.config, with KUnit, KASAN and lockdep:
#
#   build-lean.sh [NAME]
#
#   lean-kcsan    with KCSAN in the place of KASAN: lean-kcsan.config comes on top of lean.config
#
# Built where the cache ($BTF_EXTRA_CACHE, by default ~/.cache/btf-extra) does not have it yet, in 7 to
# 12 minutes on two processors. In the folder are
#
#   vmlinuz   what boots
#   vmlinux   the same with debug info and BTF
#   release   what `uname -r` says there
#   headers/  KDIR: make -C headers M=... modules, with this machine's gcc
#   source/   what it was built from, as far as it was needed, scripts/checkpatch.pl and
#             tools/testing too; headers/ is its folder build/
#
# It has modules as well, but those of btf_extra are of whichever checkout built it: build-intree.sh
# brings them up to date in a copy.
#
# Kernels that no one asked for since a day are removed before the next is built. Runs at the same
# time wait for each other; a run that was cut off leaves nothing that another would take for whole.
set -euo pipefail

vm=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$vm")
cache=$(realpath -m "${BTF_EXTRA_CACHE:-$HOME/.cache/btf-extra}/lean")

# shellcheck source=vm/lean-make.sh
. "$vm/lean-make.sh"

say() { echo "build-lean: $*" >&2; }
die() { say "$*"; exit 1; }

# Options that the kernel's own configuration would not take, however they are written: each is a fault in one
# of the parts. If an option is in several of them, the last one counts.
not_taken() {
    local line
    awk -F= '/^CONFIG_/ { last[$1] = $0 } END { for (name in last) print last[name] }' "${parts[@]}" |
        while read -r line; do
            case $line in
            *=n) ! grep -q "^${line%n}[ym]" "$1" || echo "$line" ;;
            *) grep -qxF -e "$line" "$1" || echo "$line" ;;
            esac
        done
}

configure() {
    local refused config=$1/build/.config
    lean_make "$1" tinyconfig &&
        "$1/scripts/kconfig/merge_config.sh" -m -O "$1/build" "$config" "${parts[@]}" &&
        lean_make "$1" olddefconfig || return 1
    refused=$(not_taken "$config")
    [ -z "$refused" ] || { printf '%s: not taken: %s\n' "$name" "${refused//$'\n'/, }"; return 1; }
}

# Most of a kernel's source is drivers, and other machines: of that, what was not read goes. The
# headers of btf_extra go too: modules that are built elsewhere bring their own.
prune() {
    cd "$1" && find build -name '.*.cmd' -exec grep -oh '\.\./[^ )]*' {} + |
        sed 's,^\(\.\./\)*,,' | LC_ALL=C sort -u >was_read &&
        find Documentation arch drivers samples sound -path arch/x86 -prune -o -type f \
            ! -name 'Kconfig*' ! -name 'Kbuild*' ! -name 'Makefile*' -print | LC_ALL=C sort |
        LC_ALL=C comm -23 - was_read | xargs -d '\n' rm -f &&
        find Documentation arch drivers samples sound -depth -type d -empty -delete &&
        rm -f was_read build/.tmp_vmlinux* include/linux/btf_extra.h include/uapi/linux/btf_extra.h
}

build() {
    local source=$1/source
    mkdir -p "$source" &&
        xz -T0 -dc "$archive" |
        tar --extract --strip-components=1 -C "$source" &&
        "$top/kernel/build/tree.sh" "$source" && configure "$source" &&
        lean_make "$source" bzImage modules || return 1
    cp "$source/build/arch/x86/boot/bzImage" "$1/vmlinuz" &&
        cp "$source/build/include/config/kernel.release" "$1/release" &&
        ln -s source/build "$1/headers" && ln -s headers/vmlinux "$1/vmlinux" && prune "$source"
}

# Other kernels, of this checkout or of another one: a test may be running on one of them.
forget_old() {
    local other
    for other in "$cache"/*/; do
        [ ! -d "$other" ] || [ -n "$(find "$other" -mindepth 1 -maxdepth 1 -name complete -mtime -1)" ] ||
            rm -rf "$other"
    done
}

name=${1:-lean}
parts=("$vm/lean.config")
[ "$name" = lean ] || parts+=("$vm/$name.config")
[ -e "${parts[-1]}" ] || die "$name: no ${parts[-1]##*/}"
"$top/userspace/packages.sh" kernel
mkdir -p "$cache"
exec {lock}>"$cache/lock"
if ! flock --nonblock "$lock"; then
    say 'waiting for another run'
    flock "$lock"
fi

archive=$("$vm/fetch-source.sh" 7.x) || die 'no kernel source'
version=$(basename "$(dirname "$archive")")
# The comments of scripts are left out: a kernel does not change with them.
key=$version-$({ cat "${parts[@]}" "$top/kernel/Kconfig" "$top/kernel/patches/7.x"/*.patch
    sed '/^ *#/d' "$vm"/{compiled-files,lean-make,build-lean}.sh "$top/kernel/build/tree.sh"; } |
    sha256sum | cut -c 1-12)
folder=$cache/$key
if [ ! -e "$folder/complete" ]; then
    forget_old
    # Under make, its variables are not for this build.
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory -s -C "$top" \
        build/release/btf-extra >&2 || die 'no build/release/btf-extra'
    rm -rf "$folder"
    mkdir -p "$folder"
    say "building $name of $version"
    started=$SECONDS
    if ! (build "$folder") >"$folder/log" 2>&1; then
        tail -n 20 "$folder/log" >&2
        die "the build failed: $folder/log"
    fi
    say "built in $((SECONDS - started)) s, $(du -sm "$folder" | cut -f 1) MB"
fi
touch "$folder/complete"
echo "$folder"
