#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The kernel modules on every kernel of ours: Debian's, and the lean one under KASAN and lockdep.
# Builds modules and blobs for each, and runs tests/vm/guest/module.sh in it.
#
#   module.sh RESULTS [KERNEL...]
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
default_kernels lean 6.1 6.12 7.x
generate=$PWD/build/release/btf-extra

section() { objcopy --dump-section "$2=$3" "$1" /dev/null 2>/dev/null || objcopy -O binary \
    --only-section="$2" --set-section-flags "$2=alloc" "$1" "$3"; }
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

# A copy of a .btf_extra file with one word of a section changed.
with_word() {
    local at
    at=$(readelf -SW "$1" | sed 's/\[ */[/' | awk -v name="$2" '$2 == name { print $5 }')
    cp "$1" "$4"
    printf '\1\2\3\4' | dd of="$4" bs=1 seek=$((16#$at + $3)) conv=notrunc status=none
}

# What the guest needs, in the folder $files.
prepare() {
    local name=$1 files=$2 modules folder vmlinux program
    rm -rf "$files"
    modules=$(vm/prepare.sh "$name" "$files" tests/vm/sample) &&
        folder=$(vm/fetch-kernel.sh "$name") || return
    vmlinux=$modules/vmlinux
    mkdir -p "$files/hostile"
    cp "$modules/kernel/data/types.bin" "$files"
    section "$files/vmlinux.btf_extra" .BTF.func_info "$files/func_info.bin"
    build_id "$vmlinux" >"$files/vmlinux.build_id"
    with_word "$files/vmlinux.btf_extra" .btf_extra.base 4 "$files/wrong_base.btf_extra"
    with_word "$files/vmlinux.btf_extra" .note.gnu.build-id 16 "$files/wrong_build_id.btf_extra"

    local sample=$modules/tests/vm/sample/btf_extra_sample.ko
    "$generate" generate --vmlinux "$vmlinux" -o "$files/sample.btf_extra" "$sample" || return
    # As a distribution ships it.
    strip -g -o "$files/btf_extra_sample.ko" "$sample"
    build_id "$sample" >"$files/sample.build_id"
    "$generate" stat "$files/sample.btf_extra" --json | sed -n 's/^ *"sites": \([0-9]*\),/\1/p' \
        >"$files/sample.sites"
    section "$files/sample.btf_extra" .BTF.func_info "$files/sample.func_info"
    tests/vm/hostile_blobs.py "$files/sample.btf_extra" "$files/hostile" || return
    for program in query_stress object_list; do
        gcc -O2 -Wall -Werror -static -pthread -I. -o "$files/$program" \
            "tests/vm/$program.c" || return
    done
    cp tests/vm/guest/module.sh tests/vm/guest/running.sh "$files"
    if [ "$name" = 6.1 ]; then
        add_debian_modules "$files" "$folder" "$vmlinux" || return
    fi
    vm/add-program.sh "$files" build/release/vm/running_compare build/release/vm/running_access ||
        return
}

# Debian's own modules, as installed, and the folder that "btf-extra firmware" makes for them.
add_debian_modules() {
    local files=$1 folder=$2 vmlinux=$3 debug module
    debug=$(vm/fetch-modules.sh 6.1-cloud-amd64 xfs tcp_bbr) || return
    mkdir -p "$files/debian" "$files/firmware"
    for module in libcrc32c xfs tcp_bbr; do
        cp "$(find -L "$folder/modules" -name "$module.ko" -print -quit)" "$files/debian" || return
    done
    mkdir "$files/firmware/in" &&
        find "$debug/usr" \( -name xfs.ko -o -name tcp_bbr.ko \) \
            -exec cp {} "$files/firmware/in" \; &&
        "$generate" firmware -o "$files/firmware/out" --vmlinux "$vmlinux" "$files/firmware/in"
}

on_kernel() {
    local name=$1 files=$scratch/$1 log=$scratch/$1.out
    if ! prepare "$name" "$files" >"$log" 2>&1; then
        cat "$log"
        fail "$name: what it needs could not be built"
    fi
    tests/harness/guest_rows.sh "$results" "btf_extra on $name" "$name" --cpus 2 --files "$files" -- \
        sh /module.sh
    rm -rf "$files"
}

make --no-print-directory build/release/btf-extra build/release/vm/running_compare \
    build/release/vm/running_access || fail build
# A guest is mostly one thread.
on_kernels 2
