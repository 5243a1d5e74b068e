# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Debian's tracing tools on stubs of `btf-extra expose`.
prepare() {
    tests/vm/tools/prepare.sh "$kernel" "$files" &&
        vm/add-program.sh "$files" "$built"/vm/tools/tools_guest
}
