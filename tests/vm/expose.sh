# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# `btf-extra expose` as a user runs it: what is loaded, replaced, held and taken away.
prepare() {
    LC_ALL=C sed 's/vermagic=./vermagic=0/' "$files/inlined.ko" >"$files/inlined_0.ko" &&
        cp "$built"/vm/expose/expose.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/expose/expose_guest
}
