#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Builds the lean kernel, and builds on it. Scripts source it with the top of the sources in top.
#
#   lean_make SOURCE ARGUMENT...      make in SOURCE/build, with the btf-extra of this checkout
#
# SOURCE/build knows the sources as "..": a copy of SOURCE goes on where SOURCE was.

# shellcheck source=vm/compiled-files.sh
. "${top:?}/vm/compiled-files.sh"

# Under another make, its variables are not for this build. The names of machine and user would make
# every build another one.
lean_make() (
    unset MAKEFLAGS MFLAGS MAKELEVEL
    export CCACHE_BASEDIR=$1
    make --no-print-directory -s -j"$(nproc)" -C "$1" O=build CC="$cached_gcc" \
        BTF_EXTRA="${top:?}/build/release/btf-extra" \
        KBUILD_BUILD_HOST=lean KBUILD_BUILD_USER=lean "${@:2}"
)
