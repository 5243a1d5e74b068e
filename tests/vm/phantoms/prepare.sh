#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Puts the files of phantoms_guest into the guest, if they are missing.
#
#   prepare.sh KERNEL FILES MODULES BUILT      as tests/vm/SUITE.sh has them
set -euo pipefail
cd "$(dirname "$0")/../../.."

files=$2 own=$3/tests/vm/phantoms/modules
[ ! -e "$files/phantoms" ] || exit 0
tests/vm/shapes/prepare.sh "$1" "$files" "$3"
cp -r "$files/shapes/btf_extra" "$files/phantoms"
firmware=$(echo "$files"/phantoms/*)
build/release/btf-extra generate --vmlinux "$3/vmlinux" \
    -o "$firmware/phantom_sites.btf_extra" "$own/phantom_sites.ko"
echo "phantom_sites $(readelf -n "$own/phantom_sites.ko" | sed -n 's/.*Build ID: //p')" \
    >>"$firmware/manifest"
# The template, too, as a patched kernel's build would.
build/release/btf-extra generate --vmlinux "$3/vmlinux" -o "$firmware/inlined.btf_extra" \
    "$3/kernel/inlined/inlined.ko"
readelf -n "$3/kernel/inlined/inlined.ko" | sed -n 's/.*Build ID: //p' >"$files/inlined.build_id"
for module in live_patch phantom_sites; do
    [ -e "$own/$module.ko" ] || continue  # a kernel without live patches
    "${CROSS_COMPILE:-}strip" -g -o "$files/$module.ko" "$own/$module.ko"
done
cp "$4"/vm/phantoms/phantoms.bpf.o "$files"
vm/add-program.sh "$files" "$4"/vm/phantoms/phantoms_guest
