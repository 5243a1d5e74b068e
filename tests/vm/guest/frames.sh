#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: stack traces of all sorts through `btf-extra symbolize --running`. The output is printed in
# lines "@TEXT LINE", and compared on the machine with the debug information.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

firmware=/lib/firmware/btf_extra/$(uname -r)
parameters=/sys/module/frames_stack/parameters
symbolize='btf-extra symbolize --running'
# enters: what a system call's stack ends with. does_call: what calls its function, with one that is
# inlined there, from the source file. instruction: what dmesg has before the place of one.
case $(uname -m) in
x86_64)
    enters=entry_SYSCALL_64_after_hwframe does_call=do_syscall_64 inlined_there=do_syscall_x64
    source='arch/x86/entry/[a-z_]*.c' instruction='RIP: 0010:'
    ;;
*)
    enters=el0t_64_sync does_call=invoke_syscall inlined_there=__invoke_syscall
    source='arch/arm64/kernel/syscall.c' instruction='pc : '
    ;;
esac

# tool NAME ARGUMENT...
tool() {
    name=$1
    shift
    timeout 300 /tools/ld.so --library-path /tools "/tools/$name" "$@"
}

# filter NAME: /tmp/NAME.text through the command, into /tmp/NAME.
filter() {
    $symbolize <"/tmp/$1.text" >"/tmp/$1" 2>/tmp/told
    same "$1: done, without a word on stderr" '0 ' "$? $(cat /tmp/told)"
    grep -v '(inlined)' "/tmp/$1" >/tmp/bare
    row "$1: nothing but lines of inlined functions is put in" cmp "/tmp/$1.text" /tmp/bare
    sed "s/^/@$test:$1 /" "/tmp/$1"
}

# calls FUNCTION...: lines of these inlined functions, as the module's source has their calls.
calls() { for function; do grep "^$function " /frames/calls; done; }
# of_module: such lines among others, without what stands around the names.
of_module() { sed -n 's,^.*[ :]\([a-z_]* (inlined)\) \(.*/\)\?\(frames_stack.c:[0-9]*\)$,\1 \3,p'; }

# Leaves the stack of a process that sleeps in the module in /tmp/asleep.text.
sleep_in_module() {
    (exec sh -c "echo 1 >$parameters/wait") &
    sleeper=$!
    for _ in $(seq 100); do
        ! grep -q ' frames_wait+' "/proc/$sleeper/stack" || break
        sleep 0.1
    done
    cat "/proc/$sleeper/stack" >/tmp/asleep.text
    kill -KILL $sleeper
    wait $sleeper 2>/dev/null
}

try_asleep() {
    sleep_in_module
    filter asleep
    same 'asleep: the functions of a module' "$(calls wait_inside wait_around)" \
        "$(grep -B 2 '\] frames_wait+' /tmp/asleep | of_module)"
    cat /proc/[0-9]*/stack >/tmp/tasks.text 2>/dev/null
    filter tasks
}

# The frames whose symbols are unique, once as they are and once as addresses. A sample begins with
# the place of an instruction, so another address stands before them.
try_addresses() {
    rm -f /tmp/symbols.text
    awk '$3 == "_text" { print $1 }' /proc/kallsyms >/tmp/addresses.text
    echo "@_text $(cat /tmp/addresses.text)"
    awk 'NR == FNR { count[$3]++; at[$3] = $1; next }
        split($2, part, /[+\/]/) == 3 && count[part[1]] == 1 { print at[part[1]], part[2], $0 }' \
        /proc/kallsyms /tmp/asleep.text >/tmp/placed
    while read -r at offset line; do
        echo "$line" >>/tmp/symbols.text
        printf '%x\n' $((0x$at + offset)) >>/tmp/addresses.text
    done </tmp/placed
    filter symbols
    filter addresses
    same 'addresses: the chains are those of the symbols' \
        "$(sed -n 's/^\[<0>\] \(.*(inlined)\)/\1/p' /tmp/symbols)" \
        "$(grep '(inlined)' /tmp/addresses)"
    same 'addresses: there are some' yes "$([ "$(wc -l </tmp/placed)" -gt 5 ] && echo yes)"
}

# trace FUNCTION COMMAND...: one call with its stack, into /tmp/traced. The command calls it.
trace() {
    function=$1
    shift
    rm -f /tmp/traced /tmp/told
    btf-extra trace "$function" --stack --count 1 >/tmp/traced 2>/tmp/told &
    tracer=$!
    for _ in $(seq 300); do
        grep -q ': [0-9]* \(of [0-9]* \)\?sites\?\(;\|$\)' /tmp/told 2>/dev/null && break
        [ -e /proc/$tracer ] || break
        sleep 0.1
    done
    "$@"
    wait $tracer
    same "trace: $function: it ends in order" 0 $?
    sed 's/^/# /' /tmp/traced
}

# called COUNT: the symbols of that many callers in /tmp/traced that are not inlined.
called() {
    tail -n +2 /tmp/traced | grep -v '(inlined)' | head -n "$1" | sed 's/^ *\([^+]*\).*/\1/' |
        paste -s -d ' ' -
}

# try_trace: how a stack begins at an instruction that moves the stack pointer, see btf_loc.bpf.h.
try_trace() {
    trace wait_inside sleep_in_module
    same 'trace: the functions that are inlined at the site' "$(calls wait_inside wait_around)" \
        "$(grep -B 2 '^    frames_wait+0x[0-9a-f]* \[frames_stack\]$' /tmp/traced | of_module)"
    same 'trace: who called' 'frames_wait param_attr_store' "$(called 2)"
    same 'trace: up to the system call' \
        "vfs_write $enters" \
        "$(called 30 | tr ' ' '\n' | grep -x "vfs_write\|$enters" | paste -s -d ' ' -)"
    trace wait_around sleep_in_module
    same 'trace: what the function calls is not in its stack' "$(calls wait_around)" \
        "$(grep -B 2 '^    frames_wait+' /tmp/traced | of_module)"
    trace push_inside sh -c "echo 1 >$parameters/push"
    same 'trace: a site that moves the stack pointer' "$1" "$(called 2)"
    same 'trace: its inlined functions' "$2" "$(of_module </tmp/traced)"
}

# These are on purpose, so the console does not get them: its lines fail a guest.
try_traces() {
    echo N >/sys/module/printk/parameters/ignore_loglevel && dmesg -n 1 && dmesg -c >/dev/null
    echo 1 >$parameters/warn
    echo l >/proc/sysrq-trigger
    sleep 2
    dmesg >/tmp/dmesg.text
    dmesg -c >/dev/null
    dmesg -n 7
    echo Y >/sys/module/printk/parameters/ignore_loglevel
    filter dmesg
    same 'dmesg: the place that warns, by its own address' "$(calls warn_inside warn_around)" \
        "$(grep -m 1 -B 2 "${instruction}frames_warn+" /tmp/dmesg | of_module)"
    same 'dmesg: both processors' 2 "$(grep -c 'NMI backtrace for cpu' /tmp/dmesg.text)"
}

# ask LINE COUNT: writes a line into the stream. Prints the COUNT lines of its answer; the next line
# is not written before.
ask() {
    before=$(wc -l </tmp/answers)
    echo "$1" >&3
    for _ in $(seq 300); do
        [ "$(wc -l </tmp/answers)" -lt $((before + $2)) ] || break
        sleep 0.1
    done
    tail -n +$((before + 1)) /tmp/answers
}

try_stream() {
    of_kernel=$(grep " $does_call+" /tmp/asleep.text)
    in_module=$(grep ' frames_wait+' /tmp/asleep.text)
    answer=$(grep -B 1 " $does_call+" /tmp/asleep)
    answer_in_module=$(grep -B 2 ' frames_wait+' /tmp/asleep)
    rm -f /tmp/stream /tmp/answers
    mkfifo /tmp/stream
    : >/tmp/answers
    rmmod frames_stack
    $symbolize </tmp/stream >/tmp/answers 2>/tmp/told &
    filtering=$!
    exec 3>/tmp/stream
    same 'stream: a line is answered before the next is written' "$answer" "$(ask "$of_kernel" 2)"
    same 'stream: a module that is not loaded' "$in_module" "$(ask "$in_module" 1)"
    insmod /frames_stack.ko
    sleep 0.3
    same 'stream: a module that was loaded meanwhile' "$answer_in_module" "$(ask "$in_module" 3)"
    rmmod frames_stack
    sleep 0.3
    same 'stream: it is gone' "$in_module" "$(ask "$in_module" 1)"
    same 'stream: the kernel is still known' "$answer" "$(ask "$of_kernel" 2)"
    exec 3>&-
    wait $filtering
    same 'stream: it ends with its input' '0 ' "$? $(cat /tmp/told)"
    insmod /frames_stack.ko
}

# kernel/bpf/queue_stack_maps.c calls it once, with the lock of the map held.
try_list() {
    same 'list: the file of a site, where a map may be locked' \
        '    kernel/bpf/queue_stack_maps.c: 1 site, where a BPF map may be locked' \
        "$(btf-extra list -v queue_stack_map_is_full 2>&1 | tail -n 1)"
}

# Debian's tools, while the processors have something to do.
try_tools() {
    cd /tmp || return
    load='ping -c 3 127.0.0.1; find /sys/kernel /sys/devices; dd if=/dev/zero of=copied count=5000'
    row 'perf: record' tool perf record -e cpu-clock -F 99 -a -g -o /tmp/perf.data -- \
        sh -c "($load) >/dev/null 2>&1"
    tool perf script -i /tmp/perf.data 2>/dev/null | head -n 4000 >/tmp/perf.text
    rm -f /tmp/perf.data
    filter perf
    tool bpftrace -c "/bin/busybox dd if=/dev/zero of=/tmp/copied bs=1k count=100" \
        -e 'kprobe:vfs_write /comm == "busybox" || comm == "dd"/ { @[kstack] = count(); }' \
        >/tmp/bpftrace.text 2>/dev/null
    same 'bpftrace: comes to its end' 0 $?
    filter bpftrace
    same 'bpftrace: the inlined function of each system call' yes \
        "$(grep -q "^ *$inlined_there (inlined) $source:[0-9]*\$" /tmp/bpftrace && echo yes)"
}

ifconfig lo 127.0.0.1 up
mkdir -p /lib/firmware && cp -r /frames/btf_extra /lib/firmware &&
    cp /vmlinux.btf_extra "$firmware" &&
    echo "vmlinux $(cat /vmlinux.build_id)" >>"$firmware/manifest" &&
    insmod /frames_stack.ko || exit 1
test=files
try_list
try_asleep
try_addresses
try_traces
try_stream
try_tools
case $(uname -m) in
x86_64) try_trace '?' '' ;;
*) try_trace 'frames_push param_attr_store' "$(calls push_inside push_around)" ;;
esac
test=module
insmod /btf_extra.ko frames=1 || exit 1
same 'the module keeps the frames' 'frames_stack vmlinux' \
    "$(cd /sys/kernel/btf_extra && echo *.frames | sed 's/\.frames//g')"
rm -r /lib/firmware/btf_extra
try_list
try_asleep
try_trace 'frames_push param_attr_store' "$(calls push_inside push_around)"
cp -r /frames/btf_extra /lib/firmware
try_stream
test=''
row 'the modules unload' rmmod frames_stack btf_extra
