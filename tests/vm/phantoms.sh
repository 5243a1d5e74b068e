# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Phantom functions (tests/vm/phantoms): what may hang on a stub, what comes and goes, and a storm of
# all of it.
prepare() {
    local own=$modules/tests/vm/phantoms/modules firmware=$files/phantoms module
    tests/vm/shapes/prepare.sh "$kernel" "$files" "$modules" &&
        rm -rf "$firmware" && cp -r "$files/shapes/btf_extra" "$firmware" &&
        firmware=$(echo "$firmware"/*) &&
        build/release/btf-extra generate --vmlinux "$modules/vmlinux" \
            -o "$firmware/phantom_sites.btf_extra" "$own/phantom_sites.ko" &&
        echo "phantom_sites $(readelf -n "$own/phantom_sites.ko" | sed -n 's/.*Build ID: //p')" \
            >>"$firmware/manifest" || return
    for module in live_patch phantom_sites; do
        "${CROSS_COMPILE:-}"strip -g -o "$files/$module.ko" "$own/$module.ko" || return
    done
    cp "$built"/vm/phantoms/phantoms.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/phantoms/phantoms_guest
}
