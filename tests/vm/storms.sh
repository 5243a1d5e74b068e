# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Storms around stubs, one kind after the other, for those who ask: `make storms` (tests/vm/phantoms).
prepare() {
    tests/vm/phantoms/prepare.sh "$kernel" "$files" "$modules" "$built" &&
        tests/vm/tools/prepare.sh "$kernel" "$files"
}

# The lean kernel then looks for memory that is lost.
boot() { printf '%s\n' --append kmemleak=on; }
