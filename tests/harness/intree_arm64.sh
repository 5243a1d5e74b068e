#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The newest kernel source with the patches and btf_extra in it, built for arm64 on another machine:
# what the patches touch, the kernel, and its modules with their locations. Takes 15 minutes and more.
#
#   intree_arm64.sh RESULTS
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

top=$PWD
results=$1 test='intree arm64'
scratch=$(mktemp -d "${TMPDIR:-/tmp}/intree.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=vm/lean-make.sh
. vm/lean-make.sh
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
# shellcheck source=tests/harness/elf_sections.sh
. tests/harness/elf_sections.sh

tree=$scratch/source
build() { lean_make "$tree" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- CC="${cached_gcc/gcc/aarch64-linux-gnu-gcc}" "$@"; }

source_is_there() {
    local archive
    archive=$(vm/fetch-source.sh 7.x) && mkdir -p "$tree/build" &&
        xz -T0 -dc "$archive" | tar --extract --strip-components=1 -C "$tree" &&
        kernel/build/tree.sh "$tree"
}
# The configuration does not know the options of x86-64.
has_option() {
    build tinyconfig && "$tree/scripts/kconfig/merge_config.sh" -m -O "$tree/build" "$tree/build/.config" \
        vm/lean.config && build olddefconfig &&
        grep -x 'CONFIG_DEBUG_INFO_BTF_EXTRA=m' "$tree/build/.config"
}
touched_compiles() {
    build KCFLAGS=-Werror kernel/bpf/{verifier,trampoline,attach_address}.o kernel/module/main.o \
        kernel/bpf/btf_extra/kernel/
}
# Modules have locations of their own, the data module the types of vmlinux.
modules_have_locations() {
    local module count=0
    while read -r module; do
        case $module in
        */btf_extra_vmlinux.ko) has_sections "$module" '.BTF A' || return ;;
        *) has_sections "$module" .BTF '.BTF.func_info A' '.btf_extra A' || return ;;
        esac
        count=$((count + 1))
    done < <(find "$tree/build" -name '*.ko')
    [ "$count" -ge 4 ]
}
# sites FILE: how many it has
sites() { build/release/btf-extra stat "$1" --json | sed -n 's/^ *"sites": \([0-9]*\),/\1/p' | head -n 1; }

source_is_there >"$scratch/log" 2>&1 || { tail "$scratch/log"; failed 'the source with btf_extra'; exit 1; }
passed 'the source with btf_extra'
row 'there is the option' has_option
row 'what is touched compiles' touched_compiles
row 'the kernel and its modules' build Image modules
row 'each module carries its locations' modules_have_locations
blob=$tree/build/kernel/bpf/btf_extra/kernel/data/vmlinux.btf_extra
row 'vmlinux has more than 10,000 sites' [ "$(sites "$blob")" -gt 10000 ]
row 'a kernel of arm64 would take them' build/release/btf-extra check "$blob" --vmlinux "$tree/build/vmlinux"
