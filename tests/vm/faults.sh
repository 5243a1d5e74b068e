# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Allocations that fail (tests/vm/faults), on a kernel that can do that.
prepare() {
    tests/vm/shapes/prepare.sh "$kernel" "$files" "$modules" &&
        vm/add-program.sh "$files" "$built"/vm/faults/faults_guest
}
