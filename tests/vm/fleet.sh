# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files, modules and scratch
# Tables that are made here, with the debug information, and taken by a guest that has none. And all
# examples of btf-extra(1): those that need debug information here, the others in the guest.

# certificate NAME: NAME.pem, which vouches for itself, and NAME.key.
certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
        -subj "/CN=$1" -addext subjectAltName=IP:127.0.0.1,DNS:tables.example -keyout "$files/fleet/$1.key" \
        -out "$files/fleet/$1.pem"
}

# The commands in the examples of a manual page, one a line.
examples() {
    awk '/^\.Sh/ { wanted = $2 == "EXAMPLES" }
        /^\.Ed/ { literal = 0 }
        wanted && literal { gsub(/\\e/, "\\"); printf "%s", $0 ~ /\\$/ ? $0 : $0 "\n" }
        /^\.Bd/ { literal = 1 }' "$1" | sed 's/ *\\ */ /g'
}

# Runs the examples that need debug information where it is at the places that they name. The tables
# of the first are left in DIR.
run_examples() {
    local xfs
    xfs=$(find "$(vm/fetch-modules.sh)/usr/lib/debug" -name xfs.ko)
    # shellcheck disable=SC2016 # the other shell expands it
    mkdir -p /usr/lib/debug "$1" &&
        vmlinux=$modules/vmlinux sample=$sample xfs=$xfs command=$PWD/build/release/btf-extra \
            unshare --mount bash -euc '
                mount -t tmpfs none /srv
                mount -t tmpfs none /usr/lib/debug
                mkdir -p /srv/bin /srv/here /usr/lib/debug/boot "/usr/lib/debug/lib/modules/$(uname -r)"
                ln -s "$command" /srv/bin
                PATH=/srv/bin:$PATH
                ln -s "$vmlinux" "/usr/lib/debug/boot/vmlinux-$(uname -r)"
                cp "$sample" "/usr/lib/debug/lib/modules/$(uname -r)"
                cd /srv/here
                ln -s "$vmlinux" vmlinux
                ln -s "$xfs" xfs.ko
                btf-extra generate --vmlinux vmlinux -o xfs.btf_extra xfs.ko
                for example; do eval "$example"; done
                cp -a /srv/tables/. "$0"' "$@"
}

prepare() {
    local sample=$modules/tests/vm/sample/btf_extra_sample.ko fleet=$files/fleet here
    mkdir -p "$fleet" && certificate server && certificate other &&
        examples userspace/man/btf-extra.1 >"$fleet/examples" &&
        grep -- '--vmlinux' "$fleet/examples" >"$fleet/examples_here" &&
        mapfile -t here <"$fleet/examples_here" &&
        run_examples "$fleet/tree" "${here[@]}" &&
        strip -g -o "$fleet/btf_extra_sample.ko" "$sample" &&
        cp -r "$(vm/fetch-tools.sh bookworm servers)" "$files/servers" &&
        # A file of the kernel itself: it stands for vmlinux, which is large.
        echo 'int banner = 1;' >"$scratch/own.c" &&
        gcc -g -shared -nostdlib "-Wl,--build-id=0x$(cat "$files/vmlinux.build_id")" \
            -o "$fleet/own.so" "$scratch/own.c"
}
