#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints a folder with packages of another architecture, unpacked: the libraries that the command is
# built with, and programs for a guest.
#
#   fetch-sysroot.sh arm64
#
# Nothing is installed. It is as new as its C library.
set -euo pipefail

arch=${1:?usage: fetch-sysroot.sh ARCHITECTURE}

say() { echo "fetch-sysroot: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

read -ra contents <<<"libc6 libstdc++6 busybox-static bpftool $("$vm/../userspace/packages.sh" libraries)"

fill() {
    local packages deb
    say "downloading libraries of $arch"
    mapfile -t packages < <(packages_with "${contents[@]}")
    [ "${#packages[@]}" -gt 0 ] && mkdir debs && (cd debs && download "${packages[@]}") || return 1
    for deb in debs/*.deb; do dpkg -x "$deb" . || return 1; done
    rm -r debs
}

# shellcheck disable=SC2034  # give reads them
name=$arch-$(cksum <<<"${contents[*]}" | cut -d' ' -f1) pattern=libc6 suite=any:$arch
give sysroot bin/busybox
