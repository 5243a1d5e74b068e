#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Runs the kernel's own checkers on our C for the kernel: checkpatch.pl --strict, and sparse with the
# lean kernel's configuration. Anything they say is a failure.
#
#   kernel_style.sh RESULTS
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
results=$1 test='kernel style'
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
# shellcheck source=vm/compiled-files.sh
. vm/compiled-files.sh
export CCACHE_BASEDIR=$PWD
lean=$(vm/build-lean.sh) || exit 1
kdir=$lean/headers

# The core has none of the kernel's macros, and <elf.h> names are as they are. One module serves
# several kernels: it asks for their version, *_compat.h have what later ones did otherwise, and
# attributes are not const in all of them. A function called for_each is taken for a loop, and a list of bytes
# in a macro for an expression. Run
# elsewhere, for checkpatch looks for an include/ to learn names from, and leaves what it learnt.
checkpatch() {
    local files
    mapfile -t files < <(find "$PWD/kernel" "$PWD/include" "$PWD/tests/core" -name '*.[ch]' \
        ! -name '*.mod.c' ! -name '*_compat.h')
    mkdir -p build/checkpatch/include && cd build/checkpatch || return
    "$lean/source/scripts/checkpatch.pl" --strict --no-tree --root=. --no-summary --quiet --terse \
        --max-line-length=100 --file "${files[@]}" \
        --ignore ARRAY_SIZE,BIT_MACRO,CAMELCASE,CONST_STRUCT,CONSTANT_COMPARISON,LINUX_VERSION_CODE |
        grep -v -e '/site_query.c:[0-9]*: ERROR: that open brace { should be on the previous line$' \
            -e '/expression_rows.c:[0-9]*: ERROR: Macros with complex values should be enclosed in parentheses$' \
            -e "/expression_rows.c:[0-9]*: CHECK: Macro argument reuse '[a-z]*' - possible side-effects?$"
}

# Sparse 0.6.4 does not know __typeof_unqual__, and takes the length of a literal for no constant:
# a check within MODULE_LICENSE() and the like. Kfuncs are declared nowhere: BPF programs call them.
sparse() {
    kernel/build/build.sh "$kdir" build/kernel/kunit W=1 KCFLAGS=-Werror \
        CONFIG_DEBUG_INFO_BTF_EXTRA_KUNIT_TEST=y C=2 "CC=${cached_gcc:?}" "BTF_EXTRA=$PWD/build/release/btf-extra" \
        "CHECK=sparse -D__typeof_unqual__=__typeof__" 2>&1 |
        grep -v -e ':1: error: bad constant expression$' \
            -e "symbol 'bpf_btf_extra_[a-z_]*' was not declared"
}

nothing 'checkpatch --strict' "$(checkpatch 2>&1)"
nothing 'W=1 and sparse' "$(sparse)"
