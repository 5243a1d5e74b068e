# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=sh
# In the guest, to be sourced: tables as most users have them.

# Puts vmlinux's tables where btf_extra.ko looks for them.
firmware_of_vmlinux() {
    mkdir -p "/lib/firmware/btf_extra/$(uname -r)" &&
        cp /vmlinux.btf_extra "/lib/firmware/btf_extra/$(uname -r)/" &&
        echo "vmlinux $(cat /vmlinux.build_id)" >"/lib/firmware/btf_extra/$(uname -r)/manifest"
}

# Loads btf_extra.ko with them. No BTF of the kernel has their FUNCs then, so a stub can have the name
# of a function that is only inlined.
load_with_firmware() { firmware_of_vmlinux && insmod /btf_extra.ko; }
