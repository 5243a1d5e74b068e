#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Hands the sources of btf_extra.ko to DKMS, which builds it for every kernel to come:
#
#   kernel/dkms.sh [DKMS-OPTION...]      as in: kernel/dkms.sh --sourcetree DIR --dkmstree DIR
#
# What DKMS had of the same version is replaced. "dkms install btf-extra/VERSION" builds it for the
# kernel that runs.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
value() { sed -n "s/^$1=\"\(.*\)\"/\1/p" "$top/kernel/dkms.conf"; }
module=$(value PACKAGE_NAME)/$(value PACKAGE_VERSION)
command -v dkms >/dev/null || { echo 'dkms is missing: apt-get install dkms' >&2; exit 1; }

sources=/usr/src
arguments=("$@")
while [ $# -gt 1 ]; do
    [ "$1" != --sourcetree ] || sources=$2
    shift
done
folder=$sources/${module/\//-}
if dkms status "${arguments[@]}" "$module" 2>/dev/null | grep -q .; then
    dkms remove "${arguments[@]}" "$module" --all >/dev/null
fi
rm -rf "$folder"
mkdir -p "$folder/include" "$folder/kernel"
cp "$top/kernel/dkms.conf" "$folder"
cp -r "$top/include/." "$folder/include"
(cd "$top/kernel" && cp --parents Kbuild Kconfig ./*.[ch] core/*.[ch] "$folder/kernel")
dkms add "${arguments[@]}" "$module"
