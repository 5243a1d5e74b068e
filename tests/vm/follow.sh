# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Programs of fentry at the inlined calls of their functions (tests/vm/follow).
prepare() {
    tests/vm/shapes/prepare.sh "$kernel" "$files" "$modules" &&
        cp "$built"/vm/follow/follow.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/follow/follow_guest
}
