# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Functions that the stock kernels inline, traced while files are written, processes come and go and
# TCP runs over loopback: counts and arguments against what else tells of them (tests/vm/real).
# Through the module, and without it by the library, with the kernel's file and perf kprobes.
prepare() {
    cp "$built"/vm/real/real.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/real/real_guest
}
