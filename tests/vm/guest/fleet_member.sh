#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In a guest without debug information and tables, one of several that ask the same servers:
#
#   fleet_member.sh WEB DEBUGINFOD     their URLs
# shellcheck source=tests/harness/rows.sh
. /rows.sh
# shellcheck source=tests/vm/guest/network.sh
. /network.sh
# shellcheck source=tests/vm/guest/fleet_command.sh
. /fleet_command.sh

release=$(uname -r)
tables=/lib/firmware/btf_extra/$release

# Both files of tables are those that this kernel's build and this module's have.
whole() {
    same "$1: the tables are whole" "$(cat /sums)" \
        "$(cd "$tables" && sha256sum -- *.btf_extra | sed 's/  */ /')"
    same "$1: of the kernel and what is loaded, no others" 'manifest tcp_bbr.btf_extra vmlinux.btf_extra' \
        "$(cd "$tables" && echo *)"
}

# A call of a function that is only inlined, through the module.
trace() {
    btf_extra trace --count 1 ksys_fallocate >/tmp/lines 2>/tmp/told &
    for _ in $(seq 600); do
        ! grep -q 'sites\?$' /tmp/told || break
        sleep 0.1
    done
    fallocate -o 4096 -l 777 /tmp/allocated
    wait $!
    same "$1: trace" 'ksys_fallocate inlined fd=3 mode=0 offset=4096 len=777' \
        "$(sed 's/.* \(ksys_fallocate\) [^ ]* \(inlined .*\)/\1 \2/' /tmp/lines)"
    btf_extra doctor >/tmp/said 2>&1
    same "$1: trace is by the module" 'tracing inlined calls works, with btf_extra.ko' \
        "$(sed -n '/^tracing/ s/  */ /gp' /tmp/said)"
}

mkdir -p /lib/firmware
depmod
row 'the network' begin_network modprobe || exit 1
row 'tcp_bbr is loaded' modprobe tcp_bbr
nothing 'no debug information here' "$(find / -xdev \( -name 'vmlinux*' -o -name '*.debug' -o -path /usr/lib/debug -o -name '*.btf_extra*' \) 2>/dev/null)"

does 'nginx: install' "0 $tables: 2 objects, N MB" install --from "$1"
whole nginx
trace nginx
does 'nginx: uninstall' "0 $tables: removed" uninstall

export DEBUGINFOD_URLS="$2" DEBUGINFOD_CACHE_PATH=/tmp/cache
does 'debuginfod: install' "0 $tables: 2 objects, N MB" install
whole debuginfod
trace debuginfod
does 'debuginfod: uninstall' "0 $tables: removed" uninstall
nothing 'nothing stays' "$(find /lib/firmware -mindepth 1)"
