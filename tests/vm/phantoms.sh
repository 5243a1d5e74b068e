# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Phantom functions (tests/vm/phantoms): programs that attach to a stub, modules that come and go, and a storm
# of all of it.
prepare() { tests/vm/phantoms/prepare.sh "$kernel" "$files" "$modules" "$built"; }
