# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files, modules and scratch
# `btf-extra symbolize --running`: what it puts into stack traces of the running kernel is compared
# with what llvm-symbolizer says of the kernel's debug information, on this machine.
prepare() {
    local own=$modules/tests/vm/frames firmware
    firmware=$files/frames/btf_extra/$(cat "$(vm/fetch-kernel.sh "$kernel")/release")
    mkdir -p "$firmware" &&
        build/release/btf-extra generate --vmlinux "$modules/vmlinux" \
            -o "$firmware/frames_stack.btf_extra" "$own/frames_stack.ko" &&
        echo "frames_stack $(readelf -n "$own/frames_stack.ko" | sed -n 's/.*Build ID: //p')" \
            >"$firmware/manifest" &&
        "${CROSS_COMPILE:-}"strip -g -o "$files/frames_stack.ko" "$own/frames_stack.ko" &&
        sed -n 's,.*/\* calls \([a-z_]*\) \*/,\1,;T;=;p' tests/vm/frames/frames_stack.c | paste - - |
        awk '{ print $2, "(inlined) frames_stack.c:" $1 }' >"$files/frames/calls" &&
        tests/vm/tools/prepare.sh "$kernel" "$files"
}

conclude() {
    local word name
    tests/vm/frames/compare_chains.py "$modules/vmlinux" "$1" >"$scratch/compared" ||
        failed 'the comparison comes to its end'
    cat "$scratch/compared"
    while read -r word name; do
        case $word in
        pass) passed "$name" ;;
        fail) failed "$name" ;;
        esac
    done <"$scratch/compared"
}
