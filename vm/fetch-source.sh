#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the path of Debian's newest source of a kernel series, linux.tar.xz in a folder that is named after
# its version, fetched into the cache if it is missing:
#
#   fetch-source.sh 7.x
set -euo pipefail

say() { echo "fetch-source: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

fill() {
    download_deb "$2" "$1" "$3" || return 1
    dpkg-deb --fsys-tarfile "$deb" |
        tar --extract --to-stdout "./usr/src/$2.tar.xz" >linux.tar.xz ||
        { say "$2: no source in it"; return 1; }
    rm "$deb"
}

# shellcheck disable=SC2034  # give reads them
case ${1:-} in
7.x) name=linux-source-7.x pattern='linux-source-7.*' suite=trixie-backports ;;
*) die "usage: ${0##*/} 7.x" ;;
esac
folder=$(give source linux.tar.xz)
echo "$folder/linux.tar.xz"
