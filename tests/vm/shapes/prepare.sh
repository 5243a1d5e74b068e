#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Like vm/prepare.sh, with shapes.ko as it is installed, and its .btf_extra file as firmware:
#
#   prepare.sh NAME DIR
#
# Prints the folder of build-modules.sh.
set -euo pipefail
cd "$(dirname "$0")/../../.."

modules=$(vm/prepare.sh "$1" "$2" tests/vm/shapes)
shapes=$modules/tests/vm/shapes/shapes.ko
firmware=$2/lib/firmware/btf_extra/$(cat "$(vm/fetch-kernel.sh "$1")/release")
mkdir -p "$firmware"
build/release/btf-extra generate --vmlinux "$modules/vmlinux" -o "$firmware/shapes.btf_extra" \
    "$shapes" >&2
echo "shapes $(readelf -n "$shapes" | sed -n 's/.*Build ID: //p')" >"$firmware/manifest"
strip -g -o "$2/shapes.ko" "$shapes"
echo "$modules"
