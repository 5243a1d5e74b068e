#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the path of the debug vmlinux of a kernel in kernels.list, after fetching it into the cache
# ($BTF_EXTRA_CACHE, by default ~/.cache/btf-extra) if it is missing:
#
#   fetch-vmlinux.sh [NAME [VERSION]]   NAME: first column of kernels.list, by default 6.1;
#                                       VERSION: that one of the Debian package, else the newest
set -euo pipefail

say() { echo "fetch-vmlinux: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

fill() {
    download_deb "$2" "$1" "$3" || return 1
    say 'unpacking vmlinux'
    # Newer packages have it under lib/modules/, and a link in boot/, which gives no bytes.
    dpkg-deb --fsys-tarfile "$deb" |
        tar --extract --to-stdout --wildcards './usr/lib/debug/*/vmlinux*' >vmlinux ||
        { say "$2: no vmlinux could be taken out of it"; return 1; }
    [ "$(head -c 4 vmlinux | tail -c 3)" = ELF ] ||
        { say "$2: its vmlinux is not an ELF file"; return 1; }
    rm "$deb"
}

find_kernel "${1:-6.1}"
if [ "$suite" = built ]; then
    folder=$("$vm/fetch-kernel.sh" "$name")
else
    folder=$(give vmlinux vmlinux "${2:-}")
fi
echo "$folder/vmlinux"
