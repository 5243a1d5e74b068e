# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=sh
# In a guest of `vm/run.sh --network`, to be sourced: its card gets an address. The driver is loaded if it is
# missing.
#
#   begin_network MODPROBE...     the command that loads modules

begin_network() {
    for driver in virtio_pci virtio_net; do
        # It may be in the kernel.
        "$@" $driver 2>/dev/null
    done
    ifconfig lo 127.0.0.1 up
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        ! ifconfig eth0 10.0.2.15 netmask 255.255.255.0 up 2>/dev/null || return 0
        sleep 1
    done
    echo 'there is no network card'
    return 1
}
