#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make check-fleet`: one tree of tables, made here from debug information, served by Debian's nginx and
# debuginfod to two guests of different kernels that run side by side and have no debug information.
# Each takes from each server what fits it. As root. The last line counts.
#
#   fleet_guests.sh [KERNEL...]      by default 6.1 7.x
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
# shellcheck source=tests/harness/servers.sh
. tests/harness/servers.sh

[ $# -gt 0 ] || set -- 6.1 7.x
out=$PWD/build/check-fleet
begin_results "$out"
trap end_servers EXIT
command=$PWD/build/release/btf-extra tree=$out/scratch/tree
# Modules of which there is debug information; a guest loads the first.
modules=(tcp_bbr xfs)

id_of() { echo "$out/scratch/$1.build_id"; }
# prepare KERNEL FILES: the guest's /, and its tables in the tree.
prepare() {
    local files=$2 kernel debug release module name
    vm/prepare.sh "$1" "$files" >/dev/null && kernel=$(vm/fetch-kernel.sh "$1") &&
        debug=$(vm/fetch-modules.sh "$1") && release=$(cat "$kernel/release") || return 1
    mkdir -p "$files/lib/modules/$release/updates/dkms" "$out/scratch/$1" &&
        mv "$files/btf_extra.ko" "$files/lib/modules/$release/updates/dkms" &&
        rm "$files"/*_vmlinux.ko "$files/inlined.ko" && mv "$files/vmlinux.build_id" "$(id_of "$1")" || return 1
    # A card needs these, and whatever the kernel does not have built in.
    for module in drivers/virtio/virtio{,_ring,_pci,_pci_legacy_dev,_pci_modern_dev} \
        drivers/net/{virtio_net,net_failover} net/core/failover net/ipv4/tcp_bbr; do
        for name in "$kernel/modules/$module".ko*; do
            [ ! -e "$name" ] || install -m 644 -D -t "$files/lib/modules/$release/kernel" "$name"
        done
    done
    for module in "${modules[@]}"; do
        find "$debug/usr/lib/debug" -name "$module.ko" -exec cp -t "$out/scratch/$1" {} + || return 1
    done
    "$command" generate --vmlinux "build/kernel/$1/vmlinux" -o "$files/tcp_bbr.btf_extra" \
        "$out/scratch/$1/tcp_bbr.ko" &&
        (cd "$files" && sha256sum -- *.btf_extra | sed 's/  */ /' >sums && rm -- *.btf_extra) &&
        "$command" firmware --by-build-id "$tree" --vmlinux "build/kernel/$1/vmlinux" "$out/scratch/$1" &&
        cp -r "$server_programs" "$files/servers" &&
        cp tests/harness/rows.sh tests/vm/guest/{network,fleet_command,fleet_member}.sh "$files"
}

# guest KERNEL: its rows, and one about how the guest ended.
guest() {
    local said=$out/logs/$1 status
    vm/run.sh "$1" --turns --network --cpus 2 --memory 1792 --files "$out/scratch/files-$1" -- \
        sh /fleet_member.sh "$web" "$debuginfod" >"$said" 2>&1
    status=$?
    sed -nE "s/^(pass|fail|skip) (.*)/\1 fleet: $1: \2/p" "$said" >"$out/results/$1"
    results=$out/results/$1
    same 'the guest ends well' 0 "$status"
    ! grep -q '^fail ' "$results" || cat "$said"
}

results=$out/results/servers
export test=fleet
# need NAME COMMAND...: as row, but it runs in this shell, whose variables it sets. A failure ends the test.
need() {
    local name=$1
    shift
    if "$@"; then passed "$name"; else failed "$name"; end_results "$out"; exit 1; fi
}
need 'the servers are fetched' begin_servers "$out/scratch/servers" bookworm
for kernel; do
    need "$kernel: tables and guest" prepare "$kernel" "$out/scratch/files-$kernel"
done
row 'one tree for all' [ "$(find "$tree" -name vmlinux.btf_extra.elf | wc -l)" = $# ]
need 'nginx begins' begin_nginx "$tree"
need 'debuginfod begins' begin_debuginfod "$tree"
for kernel; do
    row "debuginfod knows the tables of $kernel" await_build \
        "$(cat "$(id_of "$kernel")")" section/.btf_extra.file
done
guests=()
for kernel; do
    (test="fleet: $kernel" guest "$kernel") &
    guests+=($!)
done
wait "${guests[@]}"
# The files are named as each kernel's folder is.
wanted() {
    local kernel id file
    for kernel; do
        id=$(cat "$(id_of "$kernel")")
        for file in checksums tcp_bbr.btf_extra.elf vmlinux.btf_extra.elf; do echo "200 /$id/$file"; done
    done | LC_ALL=C sort
}
same 'nginx was asked for what fits, and for nothing twice' "$(wanted "$@")" \
    "$(LC_ALL=C sort "$out/scratch/servers/asked")"
end_servers
rm -rf "$out/scratch"
end_results "$out"
