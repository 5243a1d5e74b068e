# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=sh
# In the guest, to be sourced: tables as most users have them.

# Loads btf_extra.ko with vmlinux's tables as firmware. No BTF of the kernel has their FUNCs then, so
# a stub can have the name of a function that is only inlined.
load_with_firmware() {
    mkdir -p "/lib/firmware/btf_extra/$(uname -r)" &&
        cp /vmlinux.btf_extra "/lib/firmware/btf_extra/$(uname -r)/" &&
        echo "vmlinux $(cat /vmlinux.build_id)" >"/lib/firmware/btf_extra/$(uname -r)/manifest" &&
        insmod /btf_extra.ko
}
