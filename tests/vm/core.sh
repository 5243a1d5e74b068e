# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# The rows of tests/core against the running kernel.

prepare() {
    cp "$modules/tests/vm/core/btf_extra_rows.ko" "$files" &&
        vm/add-program.sh "$files" "$built"/vm/core/core_guest
}
