#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: 300 functions, and for each a kprobe and a program of fentry, by its name.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

folder=/lib/firmware/btf_extra/$(uname -r)
mkdir -p "$folder" && cp /vmlinux.btf_extra "$folder" || exit 1

# shuffled COUNT: that many lines of stdin, the same ones in each run.
shuffled() {
    awk -v count="$1" 'BEGIN { srand(1) } { print rand(), $0 }' | sort | awk -v count="$1" \
        'NR <= count { print $2 }'
}

# Functions of every kind: with a symbol, only inlined, of several units, and some that tools use.
# Symbols of the padding before functions, of static calls and of Rust are of no C function. Many __probestub_*
# are equal, so GCC keeps one, and the others have no debug information. On 7.x some data after the text has
# letters of code.
{
    awk '$3 == "_etext" { exit } $2 ~ /[tT]/ && NF == 3 && $3 !~ /[.$]|^__pfx_|^__SCT__|^__probestub_|^_R/ { print $3 }' /proc/kallsyms | shuffled 170
    btf-extra list 'tcp_*' 'get_*' 'ext4_*' '__*_lock' | sed 's/ .*//; s/^vmlinux://; s/@.*//' |
        grep -v ':' | sort -u | shuffled 120
    printf '%s\n' load_elf_phdrs finish_task_switch tcp_drop_reason blk_account_io_done \
        ksys_pwrite64 do_renameat2 ksys_fallocate vfs_fallocate path_put tcp_v4_rcv nobody_has_it
} | sort -u >/tmp/names
same 'there are 300 functions' yes "$([ "$(wc -l </tmp/names)" -ge 280 ] && echo yes)"
sed 's/^/kprobe:/' /tmp/names >/tmp/targets
sed 's/^/fentry:/' /tmp/names >>/tmp/targets
# The other kinds, with fewer functions.
{
    shuffled 20 </tmp/names
    printf '%s\n' load_elf_phdrs tcp_drop_reason ksys_fallocate vfs_fallocate path_put nobody_has_it
} | sort -u >/tmp/few
for kind in kretprobe fexit fsession kprobe.multi kretprobe.multi fentry.multi fexit.multi fsession.multi; do
    sed "s/^/$kind:/" /tmp/few
done >>/tmp/targets
btf-extra audit --json - </tmp/targets >/tmp/audit
same 'the exit code is that of findings' 1 $?
audit_guest /audit.bpf.o /tmp/audit
same 'audit_guest comes to its end' 0 $?

# bpftrace attaches where the audit says so, and fails elsewhere.
bpftrace() { timeout 120 /tools/ld.so --library-path /tools /tools/bpftrace "$@"; }
case $(bpftrace --version) in
'bpftrace v0.17.'*) fentry=kfunc ;;
*) fentry=fentry ;;
esac
audit_guest /audit.bpf.o --some /tmp/audit >/tmp/some
while read -r kind name attaches; do
    [ "$kind" = kprobe ] || kind=$fentry
    said=no
    bpftrace -e "$kind:$name { @ = count(); } BEGIN { exit(); }" >/tmp/said 2>&1 </dev/null && said=yes
    [ $said = "$attaches" ] || sed 's/^/# /' /tmp/said >&2
    echo "$kind:$name $attaches $said"
done </tmp/some >/tmp/by_bpftrace
sed 's/^/# /' /tmp/by_bpftrace
same 'bpftrace attaches where the audit says so' '' "$(awk '$2 != $3' /tmp/by_bpftrace)"
same 'with targets of eight kinds and verdicts' yes "$([ "$(wc -l </tmp/by_bpftrace)" -ge 8 ] && echo yes)"

# A program that is attached is found, with the process that holds it.
echo 'p:mine/fallocate ksys_fallocate' >/sys/kernel/tracing/kprobe_events
btf-extra audit >/tmp/attached 2>/tmp/told
same 'a kprobe event is reported' yes \
    "$(grep -q '^kprobe:ksys_fallocate  *misses' /tmp/attached && echo yes)"
same 'and named' yes "$(grep -q 'tracefs mine/fallocate' /tmp/attached && echo yes)"
echo >/sys/kernel/tracing/kprobe_events

# A tool with many programs, while processes come and go.
probes=/sys/kernel/debug/kprobes/list
before=$(wc -l <$probes)
audit_guest /audit.bpf.o --hold /tmp/names 50 >/tmp/held &
tool=$!
while :; do (true | true); done &
others=$!
until [ -s /tmp/held ] || ! kill -0 $tool 2>/dev/null; do sleep 1; done
time -p sh -c 'btf-extra audit >/tmp/attached 2>/tmp/told' 2>/tmp/time
kill $tool $others
# Its kprobes go after it, one by one.
tries=0
until [ "$(wc -l <$probes)" -le "$before" ] || [ $tries = 100 ]; do
    tries=$((tries + 1))
    sleep 1
done
same 'a tool has 50 programs of each of four kinds' 4 \
    "$(grep -c -x -e 'kprobe 50' -e 'kretprobe 50' -e 'fentry 50' -e 'fexit 50' /tmp/held)"
# A link of a .multi kind is at 50 functions. 6.1 of Debian has none.
while read -r kind count; do
    same "each of its programs is found: $kind" "$count" "$(sed '/^$/,$d' /tmp/attached | grep -c "^$kind:")"
done </tmp/held
same 'its kprobes go with it' yes "$([ "$(wc -l <$probes)" -le "$before" ] && echo yes)"
same 'stderr is empty' '' "$(cat /tmp/told)"
awk '/user|sys/ { seconds += $2 } END { print "# the audit took " seconds " s of CPU" }' /tmp/time
