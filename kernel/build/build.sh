#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Builds modules out of tree, from a copy of the sources so that the checkout stays clean:
#
#   kernel/build/build.sh KDIR OUT [--blob FILE] [MAKE-ARGUMENT...]
#   kernel/build/build.sh /lib/modules/$(uname -r)/build build/kernel/here --blob vmlinux.btf_extra
#
# OUT/kernel/btf_extra.ko is the code; with a blob, OUT/kernel/data/btf_extra_vmlinux.ko the data
# for the kernel that the blob was made from. Only files that changed are copied again, so that make
# builds just what they ask for. MAKE-ARGUMENTs are those of Kbuild: options, W=1, C=2, ARCH= and
# CROSS_COMPILE=, a target in place of "modules". An OUT for each KDIR: what a change of it would ask
# for is not known here.
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: ${0##*/} KDIR OUT [--blob FILE] [MAKE-ARGUMENT...]" >&2; exit 2; }
top=$(cd "$(dirname "$0")/../.." && pwd)
kdir=$(realpath -e "$1" 2>/dev/null) || { echo "${0##*/}: $1: no such folder" >&2; exit 1; }
[ -e "$kdir/Makefile" ] || { echo "${0##*/}: $1: no kernel build tree" >&2; exit 1; }
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
blob=''
if [ "${1:-}" = --blob ]; then
    [ $# -ge 2 ] || { echo "${0##*/}: --blob: no file" >&2; exit 2; }
    blob=$(realpath -e "$2" 2>/dev/null) || { echo "${0##*/}: $2: no such file" >&2; exit 1; }
    shift 2
fi

exec {lock}>"$out/lock"
flock "$lock"

# shellcheck source=kernel/build/copy-sources.sh
. "$top/kernel/build/copy-sources.sh"
list_sources | sed 's/.*/& &/' | update_copy "$out" "$out/sources"

# Under make, its variables are not for this build; a target replaces the usual one.
unset MAKEFLAGS MFLAGS MAKELEVEL
target=modules
prefix=${CROSS_COMPILE:-}
for argument; do
    case $argument in
    CROSS_COMPILE=*) prefix=${argument#*=} ;;
    *=* | -*) ;;
    *) target='' ;;
    esac
done
build() { make -C "$kdir" --no-print-directory -s "$@" ${target:+"$target"} \
    CONFIG_DEBUG_INFO_BTF_EXTRA=m; }

build M="$out/kernel" "$@"
[ -n "$blob" ] || exit 0

# The types go into .BTF of the data module, the rest beside them. No kernel reads the provenance and
# the list of variables, and the frames would be in its memory for good.
data=$out/kernel/data
"${prefix}objcopy" --dump-section .BTF="$data/types.new" --remove-section .BTF \
    --remove-section .btf_extra.provenance --remove-section .btf_extra.variables \
    --remove-section .btf_extra.frames \
    "$blob" "$data/image.new" 2>/dev/null ||
    { echo "${0##*/}: $blob: not a .btf_extra file" >&2; exit 1; }
for part in types image; do
    if cmp -s "$data/$part.new" "$data/$part.bin"; then
        rm "$data/$part.new"
    else
        mv "$data/$part.new" "$data/$part.bin"
    fi
done
build M="$data" KBUILD_EXTRA_SYMBOLS="$out/kernel/Module.symvers" CONFIG_DEBUG_INFO_BTF_MODULES= "$@"
