# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Debian's tracing tools on stubs of `btf-extra expose`: those of bookworm on its kernel, those of
# trixie on newer ones.
prepare() {
    local suite=trixie tools
    [ "$kernel" != 6.1 ] || suite=bookworm
    tools=$(vm/fetch-tools.sh $suite) &&
        cp -r "$tools" "$files/tools" &&
        vm/add-program.sh "$files" build/release/vm/tools/tools_guest
}
