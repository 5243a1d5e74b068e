#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shapes.ko as it is installed, and the folder shapes of the guest, if they are missing: it contains
# btf_extra, the folder of firmware with its .btf_extra file.
#
#   prepare.sh KERNEL FILES MODULES      MODULES: as build-modules.sh prints it
set -euo pipefail
cd "$(dirname "$0")/../../.."

[ ! -e "$2/shapes" ] || exit 0
shapes=$3/tests/vm/shapes/shapes.ko
firmware=$2/shapes/btf_extra/$(cat "$(vm/fetch-kernel.sh "$1")/release")
mkdir -p "$firmware"
build/release/btf-extra generate --vmlinux "$3/vmlinux" -o "$firmware/shapes.btf_extra" "$shapes"
echo "shapes $(readelf -n "$shapes" | sed -n 's/.*Build ID: //p')" >"$firmware/manifest"
"${CROSS_COMPILE:-}"strip -g -o "$2/shapes.ko" "$shapes"
