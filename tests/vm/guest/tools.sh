#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: Debian's tracing tools see inlined calls by the stubs of `btf-extra expose`. The
# program tools_guest tells which calls it makes.
# shellcheck disable=SC2086  # $work is a list of words
# shellcheck source=tests/harness/rows.sh
. /rows.sh
# shellcheck source=tests/vm/guest/firmware.sh
. /firmware.sh

tracing=/sys/kernel/tracing
stubs=/sys/kernel/btf_extra/inlined
calls=6
work="/bin/tools_guest __do_sys_fallocate $calls"
stub=__do_sys_fallocate
case $(uname -m) in
x86_64) caller=__x64_sys_fallocate callers='do_syscall_64 entry_SYSCALL_64_after_hwframe' ;;
*)
    caller=__arm64_sys_fallocate
    callers='invoke_syscall el0_svc_common.constprop.0 do_el0_svc el0_svc el0t_64_sync_handler el0t_64_sync'
    ;;
esac
# arm64 got fprobe later than direct calls.
fprobe=yes
case $(uname -mr) in 6.1.* | 6.12.*' aarch64') fprobe='' ;; esac

# tool NAME ARGUMENT...
tool() {
    name=$1
    shift
    timeout 120 /tools/ld.so --library-path /tools "/tools/$name" "$@"
}
# trace WORK PROGRAM: what bpftrace says while the work is done, into /tmp/said.
trace() {
    tool bpftrace -c "$1" -e "$2" >/tmp/said 2>&1
    status=$?
    sed 's/^/# /' /tmp/said
    return $status
}
said() { if grep -qF "$1" /tmp/said; then echo yes; else cat /tmp/said; fi; }
# hold arm|auto: for a kprobe on the stub. On arm64 it is a breakpoint, which arms nothing; elsewhere ftrace
# calls it.
hold() { [ "$(uname -m)" != aarch64 ] || echo "$1" >$stubs/$stub; }
# of_map KEY: its value in a map of one key.
of_map() { sed -n "s/^@\[$1\]: //p" /tmp/said; }

case $(tool bpftrace --version) in
'bpftrace v0.17.'*) entry=kfunc exit=kretfunc arg='args->' ;;
*) entry=fentry exit=fexit arg=args. ;;
esac
ifconfig lo 127.0.0.1 up
load_with_firmware || exit 1
row 'expose' btf-extra expose --template /inlined.ko skb_headlen $stub path_put || exit 1

same 'kallsyms: one symbol of each' "$(printf '%s\n' $stub path_put__inlined skb_headlen)" \
    "$(awk '$2 == "t" && $4 == "[inlined]" { print $3 }' /proc/kallsyms |
        grep -x "$stub\|path_put__inlined\|skb_headlen" | sort)"

# ---- bpftrace ----

same 'bpftrace: -lv lists functions and parameters' "$entry:inlined:$stub
    int fd
    int mode
    loff_t offset
    loff_t len
$entry:inlined:path_put__inlined
    const struct path * path
$entry:inlined:skb_headlen
    const struct sk_buff * skb" "$(tool bpftrace -lv "$entry:inlined:*" 2>&1)"

trace "$work" "$entry:inlined:$stub /comm == \"tools_guest\"/ {
    printf(\"call %d %d %lld %lld\n\", ${arg}fd, ${arg}mode, ${arg}offset, ${arg}len);
    @[kstack] = count(); }"
same "bpftrace: $entry:inlined:f: every call with its arguments" 'call 77 3 5000000000 1000
call 77 1 -1 1001
call 77 3 5000000002 1002
call 77 1 -3 1003
call 77 3 5000000004 1004
call 77 1 -5 1005' "$(grep '^call' /tmp/said)"
# arm64's symbols include $x where code begins, and bpftrace names a place by any of its symbols.
same 'bpftrace: the stack goes on at the site' \
    "$stub arch_phantom_call $caller $callers ]: $calls" \
    "$(sed -n "/[^a-z_]$stub+[0-9]*\$/,/^]/p" /tmp/said |
        sed 's/+[0-9]*$//; s/[$]x$/arch_phantom_call/' | xargs)"

trace "$work" "$entry:$stub /comm == \"tools_guest\"/ { @[comm] = count(); }"
same "bpftrace: $entry:f, with no module named" $calls "$(of_map tools_guest)"

# A wildcard sees the stub if it goes by kprobe.multi, which is fprobe's. Debian's bpftrace 0.17 puts
# plain kprobes.
multi=$calls
by=kprobe.multi
if [ $entry != fentry ] || [ -z "$fprobe" ]; then
    multi='' by='plain kprobes: calls of a stub are missed'
fi
hold arm
trace "$work" "kprobe:__*_sys_fallocate /comm == \"tools_guest\"/ { @[func] = count(); }"
hold auto
same "bpftrace: kprobe:PATTERN, $by" \
    "$multi $calls" "$(of_map $stub) $(of_map $caller)"

# Each packet has headers of 20 and 8 bytes.
cat >/tmp/ping.sh <<END
until grep -q '^state armed' $stubs/skb_headlen; do usleep 100000; done
exec ping -c 3 -s 1000 127.0.0.1
END
trace '/bin/sh /tmp/ping.sh' "$entry:inlined:skb_headlen /comm == \"ping\"/ { @[${arg}skb->len] = count(); }"
hits=$(of_map 1028)
same 'bpftrace: members of what an argument points to' yes "$([ "${hits:-0}" -ge 6 ] && echo yes)"

trace "$work" "$exit:inlined:$stub { printf(\"%d\", retval); }"
same 'bpftrace: there is no result to read' yes \
    "$(said 'ERROR: printf: %d specifier expects a value of type')"

# ---- bpftool ----

tool bpftool btf dump file /sys/kernel/btf/inlined >/tmp/said 2>&1 ||
    tool bpftool -B /sys/kernel/btf/vmlinux btf dump file /sys/kernel/btf/inlined >/tmp/said 2>&1
same 'bpftool: btf dump' "FUNC '$stub' FUNC 'path_put__inlined' FUNC 'skb_headlen'" \
    "$(grep -o "FUNC '[^']*'" /tmp/said | tr '\n' ' ' | sed 's/ $//')"

/tools/ld.so --library-path /tools /tools/bpftrace -e "$entry:inlined:$stub { @ = count(); }" \
    >/tmp/held 2>&1 &
holder=$!
# The stub is armed before the link has its id: until then, bpftool gets EAGAIN.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    ! grep -q '^state armed' $stubs/$stub || ! tool bpftool link list >/tmp/said || break
    sleep 1
done
tool bpftool prog list >/tmp/programs
# bpftool of bookworm knows no more than 15 letters of a name.
program=$(sed -n 's/^\([0-9]*\): tracing  name .*do_sys_falloc.*/\1/p' /tmp/programs)
same 'bpftool: the program, and its link' "tracing prog $program prog_type tracing attach_type trace_fentry" \
    "$(grep -A 1 "tracing  prog $program " /tmp/said | sed 's/^[0-9]*: //' | xargs)"
same 'rmmod: not while a tool is attached' \
    "rmmod: can't unload module 'inlined': Resource temporarily unavailable" "$(rmmod inlined 2>&1)"
btf-extra expose --remove >/tmp/said 2>&1
same 'expose --remove: tells who holds it' yes "$(said "BPF program $program ")"
# bpftrace 0.17 sees SIGINT and SIGTERM only while it waits for events: one that comes before is lost.
kill -KILL $holder
wait $holder

# ---- the tracers ----

cd /tmp || exit 1
tool trace-cmd record -p function_graph -l $stub -l $caller -l vfs_fallocate $work >/tmp/said 2>&1 ||
    cat /tmp/said
tool trace-cmd report 2>/dev/null | sed -n 's/.*tools_guest-.*funcgraph_[a-z]*:.*|  /|/p' >/tmp/graph
head -n 4 /tmp/graph | sed 's/^/# /'
# A leaf has braces of its own where another task came between its two ends, or another processor.
same 'trace-cmd: function_graph: each call, in its caller' \
    "$calls $caller(){$stub();vfs_fallocate();}" \
    "$(awk '{ gsub(/[| ]/, ""); line = line $0; depth += gsub(/[{]/, "{") - gsub(/[}]/, "}") }
        depth == 0 { gsub(/[{][}]/, ";", line); print line; line = "" }' /tmp/graph | sort |
        uniq -c | sed 's/^ *//')"
rm -f /tmp/trace.dat

tool perf ftrace trace -G $caller $work >/tmp/said 2>&1
same 'perf ftrace: -G: each call' $calls "$(grep -c " $stub \[inlined\]();" /tmp/said)"
tool perf ftrace trace -T $stub $work >/tmp/said 2>&1
same 'perf ftrace: -T: each call' $calls "$(grep -c ": $stub <-arch_phantom_call" /tmp/said)"
echo 1 >$tracing/tracing_on
row 'perf probe: a function that has a body' tool perf probe path_put
tool perf probe $stub >/tmp/said 2>&1
same 'perf probe: a stub' yes "$(said "$stub is out of .text, skip it.")"
echo >$tracing/kprobe_events

# ---- tracefs ----

echo >$tracing/trace
if [ -z "$fprobe" ]; then
    same 'fprobe event: this kernel has none' 'sh: write error: Invalid argument' \
        "$( (echo "f:called $stub" >$tracing/dynamic_events) 2>&1)"
else
    echo "f:called $stub \$arg*" >$tracing/dynamic_events
    echo 'COMM == "tools_guest"' >$tracing/events/fprobes/called/filter
    echo 1 >$tracing/events/fprobes/called/enable
    $work
    echo 0 >$tracing/events/fprobes/called/enable
    same 'fprobe event: every call with its arguments, by BTF' 'fd=77 mode=3 offset=5000000000 len=1000
fd=77 mode=1 offset=-1 len=1001
fd=77 mode=3 offset=5000000002 len=1002
fd=77 mode=1 offset=-3 len=1003
fd=77 mode=3 offset=5000000004 len=1004
fd=77 mode=1 offset=-5 len=1005' "$(sed -n 's/.* called: ([^)]*) //p' $tracing/trace)"
    echo >$tracing/dynamic_events
fi

echo "p:plain $stub" >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/plain/enable
hold arm
$work
hold auto
same 'kprobe event on a stub: the kernel counts calls as missed' yes \
    "$(awk -v calls=$calls '$1 == "plain" && $2 == 0 && $3 >= calls { print "yes" }' \
        $tracing/kprobe_profile)"
echo 0 >$tracing/events/kprobes/plain/enable
echo >$tracing/kprobe_events

# ---- a function that has a body, too ----

# Perf kprobes at all of its sites count in another way.
# A stub that is armed by hand misses no call while the tool attaches.
row 'expose --arm' btf-extra expose --arm path_put
btf-extra probes path_put | grep -v '^#' >$tracing/kprobe_events
echo 'COMM == "tools_guest"' >$tracing/events/kloc/filter
echo >$tracing/trace
echo 1 >$tracing/events/kloc/enable
trace "/bin/tools_guest path_put__inlined $calls" "$entry:vmlinux:path_put,
    $entry:inlined:path_put__inlined /comm == \"tools_guest\"/ { @[probe] = count(); }"
echo 0 >$tracing/events/kloc/enable
body=$(of_map "$entry:vmlinux:path_put") inlined=$(of_map "$entry:inlined:path_put__inlined")
same 'bpftrace: the body and the inlined calls of a function' \
    "$(grep -c 'path_put' $tracing/trace)" $((body + inlined))
same 'bpftrace: both are called' yes "$([ "${body:-0}" -gt 0 ] && [ "${inlined:-0}" -gt 0 ] && echo yes)"
echo >$tracing/kprobe_events
echo auto >$stubs/path_put__inlined

# ---- what stays ----

for _ in 1 2 3 4 5; do
    grep -q '^state armed' $stubs/* || break
    sleep 1
done
same 'nothing is armed when the tools are gone' '' "$(grep -l '^state armed' $stubs/*)"
row 'expose --remove' btf-extra expose --remove
same 'no stub is left' '' "$(ls $stubs)"
