# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Variables of the kernel in the BTF of the data module: what BPF programs read by them, and
# `btf-extra value` (tests/vm/globals).
prepare() {
    local example=$scratch/example
    rm -rf "$example" && cp -r userspace/examples "$example" &&
        make -s -C "$example" CLANG=clang-14 tasks tasks.bpf.o &&
        cp "$example/tasks.bpf.o" "$files" && vm/add-program.sh "$files" "$example/tasks" || return
    nm "$modules/vmlinux" >"$files/symbols.nm" &&
        cp "$built"/vm/globals/globals.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/globals/globals_guest
}
