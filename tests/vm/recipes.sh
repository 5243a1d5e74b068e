# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# The sessions of userspace/RECIPES.md are typed into the guest, with Debian's tools.
prepare() {
    tests/vm/tools/prepare.sh "$kernel" "$files" &&
        tests/vm/recipes/blocks.py userspace/RECIPES.md "$files/recipes"
}
