# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# The lines of `btf-extra probes`: they are the same from the kernel's file as in the guest, and
# tracefs takes them.
prepare() {
    local func
    mkdir "$files/probes"
    for func in ksys_fallocate skb_headlen tcp_ack_tstamp zone_watermark_ok task_pid_nr mmap_read_lock \
        want_init_on_alloc; do
        build/release/btf-extra probes "$func" --tables "$files/vmlinux.btf_extra" \
            --vmlinux "$modules/vmlinux" >"$files/probes/$func" || return
    done
}
