# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files, modules and scratch
# `btf-extra expose` where modules must be signed: Debian's kernel, with a test certificate instead of those
# that it was built with.
prepare() {
    local folder=$files/signed sign
    sign=$(vm/fetch-kernel.sh "$kernel")/headers/scripts/sign-file
    mkdir -p "$folder" && cp "$files/btf_extra.ko" "$folder" && new_key trusted && new_key other &&
        "$sign" sha256 "$folder/trusted.pem" "$folder/trusted.der" "$folder/btf_extra.ko" &&
        vm/trust-certificate.py "$modules/vmlinux" "$folder/trusted.der" "$scratch/trusting"
}

# Two files: NAME.pem, the key, and NAME.der, its certificate.
new_key() {
    openssl req -new -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days 3650 \
        -subj "/CN=$1/" -keyout "$folder/$1.pem" -outform DER -out "$folder/$1.der" 2>/dev/null
}

boot() { printf '%s\n' --kernel "$scratch/trusting" --append module.sig_enforce=1; }
