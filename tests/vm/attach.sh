# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Attaching through /dev/btf_extra when something is wrong, at its limits, and under load
# (tests/vm/attach).
prepare() {
    tests/vm/shapes/prepare.sh "$kernel" "$files" "$modules" &&
        tests/vm/attach/exclusive_sites.sh "$modules/vmlinux" "$files/vmlinux.btf_extra" \
            get_task_struct >"$files/exclusive_sites" &&
        cp "$modules/tests/vm/attach/foreign/foreign.ko" "$built"/vm/attach/*.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/attach/attach_guest
}
