# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# A module of a few lines, built for the kernel like any other, and what a guest gives to every suite.
prepare() {
    same 'a module is made for the kernel' "$(cat "$(vm/fetch-kernel.sh "$kernel")/release")" \
        "$(modinfo -F vermagic "$modules/tests/vm/hello/hello.ko" | cut -d' ' -f1)"
    same 'a module has its .BTF' ' .BTF ' \
        "$(readelf -SW "$modules/tests/vm/hello/hello.ko" | grep -o ' \.BTF ')"
    cp "$modules/tests/vm/hello/hello.ko" "$files"
    cat "$(vm/fetch-kernel.sh "$kernel")/release" >"$files/release"
    # A program of the guest's, with its libraries.
    if [ "$arch" = amd64 ]; then
        vm/add-program.sh "$files" tac
    else
        vm/add-program.sh "$files" "$(vm/fetch-sysroot.sh "$arch")/usr/sbin/bpftool"
    fi
}
