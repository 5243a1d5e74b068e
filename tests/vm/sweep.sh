# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets files
# A program at every site of every function, for those who ask: `make sweep` (tests/vm/sweep).
prepare() {
    cp "$built"/vm/sweep/*.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/sweep/sweep_guest
}
