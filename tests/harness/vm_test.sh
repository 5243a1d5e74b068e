#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# What the tests tests/vm/TEST.sh begin with; to be sourced by them at the top of the sources, with
# their arguments, "RESULTS [ARGUMENT...]". Gives them
#
#   results, arguments         the first, and an array of the others
#   scratch                    a folder that goes when the test ends
#   fail TEXT                  adds "fail vm TEST: TEXT" to the results, and ends the test
#   build_bpf FILE...          FILE.bpf.o in scratch, of tests/vm/TEST/FILE.bpf.c
#   default_kernels NAME...    kernels, an array: the arguments, or these where there are none
#   on_kernels JOBS            calls on_kernel KERNEL for each, so many at a time, in subshells
set -uo pipefail

test_name=$(basename "$0" .sh)
results=$1
shift
arguments=("$@")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/$test_name.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

default_kernels() {
    kernels=("${arguments[@]}")
    [ "${#kernels[@]}" -gt 0 ] || kernels=("$@")
}

fail() {
    echo "fail vm $test_name: $1" >>"$results"
    exit 1
}

build_bpf() {
    local file
    for file; do
        clang-14 -target bpf -D__TARGET_ARCH_x86 -g -O2 -Wall -Wextra -Wno-unused-parameter \
            -Werror -I. "-I/usr/include/$(gcc -print-multiarch)" -c -o "$scratch/$file.bpf.o" \
            "tests/vm/$test_name/$file.bpf.c" || return
    done
}

on_kernels() {
    local kernel
    for kernel in "${kernels[@]}"; do
        [ "$(jobs -rp | wc -l)" -lt "$1" ] || wait -n
        (on_kernel "$kernel") &
    done
    wait
}
