# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# The patched kernel, built with btf_extra in it: which code a program of an unmodified libbpf is
# attached to that asks for a function by its id, or by its name (tests/vm/intree).
#
# The test module is built like one of the kernel's own: one that is built out of tree stands on a
# distilled base, which no types can be added to.
prepare() {
    local out=build/kernel/$kernel-test file tree
    mkdir -p "$out" && tree=$(vm/fetch-kernel.sh "$kernel") || return
    for file in tests/vm/intree/{Kbuild,intree_*.[ch]}; do
        cmp -s "$file" "$out/${file##*/}" || cp "$file" "$out/"
    done
    # Kbuild does not know that its BTF stands on vmlinux's.
    [ "$out/intree_test.ko" -nt "$tree/vmlinux" ] || rm -f "$out/intree_test.ko"
    vm/kbuild.sh "$kernel" -s M="$PWD/$out" RESOLVE_BTFIDS_FLAGS= W=1 KCFLAGS=-Werror \
        BTF_EXTRA="$PWD/build/release/btf-extra" modules &&
        strip -g -o "$files/intree_test.ko" "$out/intree_test.ko" &&
        cp "$built"/vm/intree/*.bpf.o "$files" &&
        readelf -n "$tree/vmlinux" | sed -n 's/.*Build ID: //p' >"$files/vmlinux.build_id" &&
        vm/add-program.sh "$files" "$built"/vm/intree/intree_guest
}
