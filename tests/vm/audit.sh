# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Programs are attached where `btf-extra audit` says that they can be, and where not (tests/vm/audit).
prepare() {
    tests/vm/tools/prepare.sh "$kernel" "$files" &&
        cp "$built"/vm/audit/audit.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/audit/audit_guest
}
