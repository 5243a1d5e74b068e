#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# How the lean kernel is built, and built on; to be sourced, where top is that of the sources.
#
#   lean_make SOURCE ARGUMENT...      make in SOURCE/build, with the btf-extra of this checkout
#
# SOURCE/build knows the sources as "..": a copy of SOURCE goes on where SOURCE was.

# What a compiler gave once it gives again, in any folder.
if command -v ccache >/dev/null; then
    export CCACHE_DIR=${CCACHE_DIR:-${BTF_EXTRA_CACHE:-$HOME/.cache/btf-extra}/ccache}
    export CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_MAXSIZE=4G
    lean_cc='ccache gcc'
else
    lean_cc=gcc
fi

# Under another make, its variables are not for this build. The names of machine and user would make
# every build another one.
lean_make() (
    unset MAKEFLAGS MFLAGS MAKELEVEL
    export CCACHE_BASEDIR=$1
    make --no-print-directory -s -j"$(nproc)" -C "$1" O=build CC="$lean_cc" \
        BTF_EXTRA="${top:?}/build/release/btf-extra" \
        KBUILD_BUILD_HOST=lean KBUILD_BUILD_USER=lean "${@:2}"
)
