# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash
# ccache keeps what was compiled for kernels and their modules beside the downloads. Scripts source
# this file. It sets cached_gcc, the words for CC=; they are "gcc" alone where there is no ccache.
# Folders below $CCACHE_BASEDIR may lie elsewhere the next time.

cached_gcc=gcc
if command -v ccache >/dev/null; then
    # shellcheck disable=SC2034  # for the scripts that source this one
    cached_gcc='ccache gcc'
    export DEBIAN_KERNEL_USE_CCACHE=y  # for Debian's headers
    export CCACHE_DIR=${CCACHE_DIR:-${BTF_EXTRA_CACHE:-$HOME/.cache/btf-extra}/ccache}
    export CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=4G
    # The depend mode of ccache 4.7 does not see the files that .incbin names, and would give old
    # tables. The namespace is one that has no files from that mode.
    unset CCACHE_DEPEND
    export CCACHE_NAMESPACE=kernel
fi
