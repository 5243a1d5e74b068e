#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the path of the debug vmlinux of a kernel in kernels.list, after fetching it into the
# cache ($BTF_EXTRA_CACHE, by default ~/.cache/btf-extra) where it is not there yet:
#
#   fetch-vmlinux.sh [NAME [VERSION]]   NAME: first column of kernels.list, by default 6.1;
#                                       VERSION: that one of the Debian package, else the newest
set -euo pipefail

say() { echo "fetch-vmlinux: $*" >&2; }
# shellcheck source=vm/kernel-cache.sh
. "$(dirname "$0")/kernel-cache.sh"

# Downloads, checks, unpacks.
fetch() (
    version=$1 package=$2 sha256=$3
    partial=$cache/partial
    trap 'rm -rf "$partial"' EXIT
    rm -rf "$partial" && mkdir -p "$partial" && cd "$partial" || exit 1

    say "downloading $package $version"
    download "$package=$version" || exit 1
    deb=(*.deb)
    echo "$sha256  ${deb[0]}" | sha256sum --check --status ||
        { say "${deb[0]}: not the file of the package index (SHA256)"; exit 1; }

    say 'unpacking vmlinux'
    # In newer packages it lies under lib/modules/, and a link in boot/, which gives no bytes.
    dpkg-deb --fsys-tarfile "${deb[0]}" |
        tar --extract --to-stdout --wildcards './usr/lib/debug/*/vmlinux*' >vmlinux ||
        { say "$package: no vmlinux could be taken out of it"; exit 1; }
    [ "$(head -c 4 vmlinux | tail -c 3)" = ELF ] ||
        { say "$package: its vmlinux is not an ELF file"; exit 1; }
    mkdir -p "$cache/$version" && mv vmlinux "$cache/$version/vmlinux"
)

find_kernel "${1:-6.1}"
if [ "$suite" = built ]; then
    folder=$("$vm/fetch-kernel.sh" "$name")
else
    folder=$(give vmlinux vmlinux "${2:-}")
fi
echo "$folder/vmlinux"
