#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest, with vmlinux's and a module's tables loaded: all that /dev/btf_extra answers against
# the files, who may ask, and --running of the command. Each row is a line "pass NAME" or
# "fail NAME: what came".
#
#	running.sh [--every N] OBJECT=FILE...
#
# running_compare takes --every.
# $hook: how far bodies are after their symbols.
# shellcheck source=tests/harness/rows.sh
. /rows.sh
fails() {
    row=$1 message=$2
    shift 2
    got=$("$@" 2>&1 >/dev/null)
    same "$row" "1 btf-extra: $message" "$? $got"
}
hide() { echo "$1" >/proc/sys/kernel/kptr_restrict; }

running_access
same 'running_access comes to its end' 0 $?
running_compare "$@"
same 'running_compare comes to its end' 0 $?

# The same sites as of the file; in the table of the kernel they are counted independently.
name=skb_headlen
btf-extra lookup $name >/tmp/found || echo 'fail command: look-up by name'
grep '^  0x' /tmp/found >/tmp/sites
head -n 4 /tmp/found | sed 's/^/# /'
awk -v name=$name '$3 == name { print "0x" $1 }' /sys/kernel/debug/btf_extra/sites | sort \
    >/tmp/listed
awk '{ print $1 }' /tmp/sites | sort >/tmp/addresses
same "command: $name by name" "$(cat /tmp/listed)" "$(cat /tmp/addresses)"
echo "# $name: $(wc -l </tmp/sites) sites"
same 'command: some site of it' yes "$([ -s /tmp/sites ] && echo yes)"
address=$(awk 'NR == 1 { print $1 }' /tmp/sites)
symbol=$(awk 'NR == 1 { print $3 }' /tmp/sites)
id=$(sed -n 's/^    id \([0-9]*\) .*/\1/p' /tmp/found | head -n 1)
btf-extra lookup --addr "$address" |
    awk -v name=$name '/^[^ ]/ { mine = index($0, " " name "(") } /^  0x/ && mine' >/tmp/at
same 'command: by address' "$(head -n 1 /tmp/sites)" "$(cat /tmp/at)"
same 'command: by symbol and distance' "$(btf-extra lookup --addr "$address")" \
    "$(btf-extra lookup --addr "$symbol")"
same 'command: by id' "$(cat /tmp/found)" "$(btf-extra lookup "#$id")"
same 'command: JSON' "$(wc -l </tmp/sites)" \
    "$(btf-extra lookup $name --json | grep -c '"address": "0x')"
same 'command: several at once, and a pattern' \
    "$(cat /tmp/found; echo; btf-extra lookup start_kernel)" \
    "$(btf-extra lookup "vmlinux:$name" 'start_kerne[l]')"
same 'command: a pattern of all, as many functions as the kernel says' \
    "$(btf-extra stat --running --json | awk -F '[:,]' '/"functions"/ { n = $2 + 0 } END { print n }')" \
    "$(btf-extra list '*' '*.*' | wc -l)"
# A symbol that is one of several at its address.
symbol=do_epoll_pwait.part.0
if grep -q " $symbol$" /proc/kallsyms; then
    same 'command: one of several symbols' \
        "$(printf '0x%x' $((0x$(awk -v s=$symbol '$3 == s { print $1 }' /proc/kallsyms) + ${hook:?})))" \
        "$(btf-extra lookup $symbol | awk '/^  0x/ { print $1 }')"
fi
fails 'command: an unknown name' 'running kernel: no function nobody_has_it' \
    btf-extra lookup nobody_has_it
fails 'command: an unknown object' 'running kernel: no object nobody_has_it' \
    btf-extra lookup nobody_has_it:$name
same 'command: an unknown file' \
    "1 btf-extra: running kernel: no function $name@no/such.c; of that name: vmlinux:$name" \
    "$(got=$(btf-extra lookup $name@no/such.c 2>&1 >/dev/null); echo "$? ${got%%,*}")"
fails 'command: an unknown symbol' \
    "running kernel: 'nobody_has_it' is neither an address nor a symbol" \
    btf-extra lookup --addr nobody_has_it
fails 'command: an address without sites' 'running kernel: no site at address 0x10' \
    btf-extra lookup --addr 0x10
btf-extra stat --running | sed 's/^/# /'
same 'command: stat has vmlinux' 1 \
    "$(btf-extra stat --running --json | grep -c '"name": "vmlinux"')"

hide 2
btf-extra lookup $name | grep '^  ' | grep -v '^    ' >/tmp/hidden
same 'command: hidden addresses' "$(wc -l </tmp/sites) hidden hidden" \
    "$(awk '{ print $1, $3 }' /tmp/hidden | sort | uniq -c | awk '{ print $1, $2, $3 }')"
same 'command: hidden addresses in JSON' "$(wc -l </tmp/sites)" \
    "$(btf-extra lookup $name --json | grep -c '"address": null')"
fails 'command: by address when hidden' "running kernel: addresses are hidden: needs CAP_SYSLOG,\
 and kernel.kptr_restrict below 2" btf-extra lookup --addr "$address"
hide 0

same 'command: text that is freed' "start_kernel+0x${hook:?} (freed)" \
    "$(btf-extra lookup start_kernel | sed -n 's/^  0x[0-9a-f]* body *//p')"
echo 'pass all there is to ask was asked'
