#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Hands the sources of btf_extra.ko to DKMS, which builds it for every kernel to come:
#
#   kernel/build/dkms.sh [DKMS-OPTION...]      as in: kernel/build/dkms.sh --sourcetree DIR --dkmstree DIR
#
# A package of the same version is replaced. "dkms install btf-extra/VERSION" builds it for the
# kernel that runs.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' "$top/kernel/core/version.h")
module=btf-extra/$version
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
"$top/kernel/build/dkms-sources.sh" "$folder"
dkms add "${arguments[@]}" "$module"
