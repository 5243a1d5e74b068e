#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: what `btf-extra probes` writes is taken by tracefs, line by line, and an inlined
# function's events have the values that a program gave it.
# /probes/FUNC has the lines that were made elsewhere, from the kernel's file.
tracing=/sys/kernel/tracing
file=/vmlinux.btf_extra
# shellcheck source=tests/harness/rows.sh
. /rows.sh

# write_probe LINE
write_probe() { echo "$1" >>$tracing/kprobe_events 2>/tmp/error; }

refused=0
accepted=0
changed=0
for elsewhere in /probes/*; do
    func=${elsewhere##*/}
    btf-extra probes "$func" ${file:+--tables "$file"} >/tmp/lines || echo "fail probes of $func"
    grep -v '^#' /tmp/lines >/tmp/here
    grep -v '^#' "/probes/$func" >/tmp/elsewhere
    # Neither addresses of this boot nor what else kallsyms knows is in them.
    same "$func: the lines hold on every boot" '' "$(grep -vxFf /tmp/here /tmp/elsewhere)"
    while read -r line; do
        if write_probe "$line"; then
            accepted=$((accepted + 1))
        else
            refused=$((refused + 1))
            echo "# $line"
            tail -n 3 $tracing/error_log 2>/dev/null | sed 's/^/# /'
        fi
    done </tmp/elsewhere
    # The kernel's file says where there is a static key or a static call, and the tables know that no
    # probe can be there.
    sed -n 's/^# a static [a-z]* patches the instruction: //p' "/probes/$func" >/tmp/changed
    changed=$((changed + $(wc -l </tmp/changed)))
    # An empty list of patterns is every line to busybox.
    [ ! -s /tmp/changed ] || same "$func: the tables know where the kernel changes an instruction" '' \
        "$(grep -xFf /tmp/changed /tmp/here)"
    while read -r line; do
        if write_probe "$line"; then echo "fail $func: the instruction takes a probe: $line"; fi
    done </tmp/changed
    # The kernel's file knows more about places that take none.
    grep -vxFf /tmp/elsewhere /tmp/here >/tmp/more
    while read -r line; do
        if write_probe "$line"; then echo "fail $func: left out elsewhere: $line"; fi
    done </tmp/more
done
same 'lines that tracefs refuses' 0 $refused
echo "# $accepted lines"
same 'lines are there' "$accepted" "$(wc -l <$tracing/kprobe_events)"
[ $changed -gt 10 ] || echo "fail there are instructions that the kernel changes: $changed"
[ $accepted -gt 100 ] || echo "fail there is something to write: $accepted lines"

# ksys_fallocate is inlined into the system call.
for event in "$tracing"/events/kloc/ksys_fallocate*; do
    echo 1 >"$event/enable" || echo "fail $event"
done
for length in 777 1000 5000000000; do
    fallocate -o 4096 -l $length /tmp/allocated 2>/dev/null
    rm -f /tmp/allocated
done
echo 0 >$tracing/events/kloc/enable
grep -o 'ksys_fallocate: .*' $tracing/trace | sed 's/^[^:]*: //; s/^([^)]*) //; s/fd=[0-9]* //' \
    >/tmp/seen
same 'values of an inlined function' \
    'mode=0 offset=4096 len=777,mode=0 offset=4096 len=1000,mode=0 offset=4096 len=5000000000,' \
    "$(tr '\n' ',' </tmp/seen)"
grep ksys_fallocate $tracing/trace | head -n 3 | sed 's/^/# /'
echo >$tracing/kprobe_events

# ---- an event that exists ----

# It is in use while probes are added. The registers are those of the calling convention.
case $(uname -m) in
aarch64) second=%x1 third=%x2 ;;
*) second=%si third=%dx ;;
esac
# fallocate_calls N: writes N files, and prints what the event has of these calls, one on a line.
fallocate_calls() {
    echo >$tracing/trace
    for i in $(seq "$1"); do
        fallocate -o $((4096 * i)) -l 777 /tmp/allocated 2>/dev/null
        rm -f /tmp/allocated
    done
    grep -o ' falloc: .*' $tracing/trace | sed 's/.*) *//'
}
append() { btf-extra probes ${file:+--tables "$file"} "$@" >/tmp/lines 2>/tmp/error; }
write_probe "p:probe/falloc ksys_fallocate mode=$second:s32 offset=$third" || cat /tmp/error
echo 1 >$tracing/events/probe/falloc/enable
same 'the event of a function does not see its inlined calls' '' "$(fallocate_calls 10)"
row 'lines that are added to an event' append --append probe:falloc
grep -v '^#' /tmp/lines >/tmp/here
while read -r line; do
    row "tracefs adds $line" write_probe "$line"
done </tmp/here
same 'the event sees 10 of 10 calls' "$(for i in $(seq 10); do
    printf 'mode=0 offset=0x%x\n' $((4096 * i))
done)" "$(fallocate_calls 10)"
append --append probe/falloc
same 'no site gets a second probe' '' "$(grep -v '^#' /tmp/lines)"
write_probe "p:probe/wide ksys_fallocate mode=$second" || cat /tmp/error
append --append probe:wide
same 'no field reads more than its parameter has' '' "$(grep -v '^#' /tmp/lines)"
row 'a comment says so' grep -q '^# mode is narrower there: p:probe/wide ' /tmp/lines
append ksys_fallocate --append probe:none
same 'an event that does not exist' \
    'btf-extra: probe:none: kprobe_events has no such event; write GROUP:EVENT' "$(cat /tmp/error)"
append vfs_read --append probe:falloc
same 'a function without a field of the event' \
    'btf-extra: probe/falloc: its field mode is no parameter of vfs_read' "$(cat /tmp/error)"
echo 0 >$tracing/events/probe/enable
echo >$tracing/kprobe_events
echo 'pass all there is to try was tried'
