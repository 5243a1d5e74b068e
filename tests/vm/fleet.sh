# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files, modules and scratch
# Tables that are made here, with the debug information, and taken by a guest that has none.

# certificate NAME: NAME.pem, which vouches for itself, and NAME.key.
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
        -subj "/CN=$1" -addext subjectAltName=IP:127.0.0.1 -keyout "$files/fleet/$1.key" \
        -out "$files/fleet/$1.pem"
}

prepare() {
    local sample=$modules/tests/vm/sample/btf_extra_sample.ko fleet=$files/fleet
    mkdir -p "$fleet" && certificate server && certificate other &&
        build/release/btf-extra firmware --by-build-id "$fleet/tree" --vmlinux "$modules/vmlinux" \
            "$sample" &&
        strip -g -o "$fleet/btf_extra_sample.ko" "$sample" &&
        cp -r "$(vm/fetch-tools.sh bookworm servers)" "$files/servers" &&
        # A file of the kernel itself: it stands for vmlinux, which is large.
        echo 'int banner = 1;' >"$scratch/own.c" &&
        gcc -g -shared -nostdlib "-Wl,--build-id=0x$(cat "$files/vmlinux.build_id")" \
            -o "$fleet/own.so" "$scratch/own.c"
}
