# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# libbtf_extra, through the module and by perf kprobes: the arguments that its programs see are those
# that were passed (tests/vm/library).
prepare() {
    cp "$built"/vm/library/library.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/library/library_guest
}
