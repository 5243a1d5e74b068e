# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Those who ask btf_extra.ko from within the kernel: another module, through the exported functions
# (tests/vm/api), and BPF programs, through the kfuncs (tests/vm/kfuncs). What they are told is what
# /dev/btf_extra says. And stock libbpf and bpftool find our functions by name.
prepare() {
    cp "$modules/tests/vm/api/api_test.ko" build/release/vm/kfuncs/kfuncs.bpf.o "$files" &&
        vm/add-program.sh "$files" build/release/vm/{api/api,kfuncs/kfuncs}_guest bpftool
}
