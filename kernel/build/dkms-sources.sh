#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Fills a folder with the sources that DKMS builds btf_extra.ko from, and dkms.conf with the version:
#
#   kernel/build/dkms-sources.sh FOLDER
set -euo pipefail

[ $# = 1 ] || { echo "usage: ${0##*/} FOLDER" >&2; exit 2; }
top=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(sed -n 's/^#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' "$top/kernel/core/version.h")
sed "s/@VERSION@/$version/" "$top/kernel/build/dkms.conf" >"$folder/dkms.conf"
# shellcheck source=kernel/build/copy-sources.sh
. "$top/kernel/build/copy-sources.sh"
list_sources | grep -Ev '^(kernel/(data|tests)|tests)/' |
    (cd "$top" && xargs cp --parents --target-directory "$folder")
