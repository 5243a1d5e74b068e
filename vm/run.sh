#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Runs a command on a kernel of kernels.list, in a virtual machine that has the given files:
#
#   run.sh NAME [OPTION...] --files DIR -- COMMAND [ARGUMENT...]
#   run.sh NAME [OPTION...] --files DIR --shell [-- COMMAND [ARGUMENT...]]
#
#   --files DIR         what is in DIR is in the guest's /, besides busybox; more than once adds up
#   --kernel IMAGE      this one instead, on the machine that NAME would have
#   --shell             a shell on the terminal, after the command; it ends with "exit"
#   --cpus N            by default 1
#   --memory MB         by default 1024
#   --timeout S         for the whole run, by default 1800: what takes longer hangs; a shell has no
#                       limit
#   --append ARGUMENTS  for the kernel's command line
#   --network           a network card of virtio-net, which has this machine's loopback as 10.0.2.2
#   --disk IMAGE        as /dev/nvme0n1; what is written stays in the image
#   --turns             the processors take turns on one thread of the emulator
#   --icount            an instruction takes a nanosecond of the guest's time, so that costs can be
#                       counted and runs agree (append nokaslr, too); with one processor
#
# Stdout has what the command says, stdout and stderr, line by line, and nothing else. Stderr has
# the path of the kernel's log, build/vm/NAME-N.log. The exit code is the command's, but
#   124  the kernel complained: a warning, an oops, a lockdep report, ...; the lines are on stderr
#   125  the run failed: bad usage, no boot, not done in time, no exit code; stderr has the reason
# Either of them, when given by the harness, comes with a line "run: ..." that says so.
#
# Output takes a second for each 300 KB. /dev/kvm is never used: it may be there and hang.
#
# At most three guests run at once on a machine of two processors, the others wait: with more, those
# of two processors spend their time waiting for each other.
set -uo pipefail

vm=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$vm")

say() { echo "run: $*" >&2; }
fail() { say "$*"; exit 125; }
# timeout(1) sends its signal to the process, and then to its group: cleaning up must outlive that.
trap 'trap "" INT TERM HUP; fail "interrupted"' INT TERM HUP

# The kernel prints one of these if something is wrong with it.
complaints='WARNING:|BUG:|BUG |Oops|KASAN|KCSAN|UBSAN|KFENCE|ODEBUG|DEBUG_LOCKS_WARN|cut here'
complaints+='|general protection fault|[Uu]nable to handle|kernel panic|Kernel panic'
complaints+='|possible (circular|recursive|irq) |lock held|[Ii]nconsistent lock state|INFO: '
complaints+='|suspicious RCU usage|(rcu|RCU).*stall|hung task|blocked for more than|soft lockup'
complaints+='|unsafe|refcount_t|scheduling while atomic|sleeping function|Call Trace'
complaints+='|suspected memory leak|kmemleak: .*empty|bad page|list_(add|del) corruption'

# Patterns of whole lines that btf-extra does not cause, each with its reason; without the time.
harmless=(
    # KCSAN says which of its modes it has.
    'kcsan: non-strict mode configured - use CONFIG_KCSAN_STRICT=y to see all data races'
    # The kernel counts missed hits of a kprobe without a lock, in 7.3 as in 6.1: two processors that
    # miss at once may count one.
    'BUG: KCSAN: data-race in kprobes_inc_nmissed_count( / kprobes_inc_nmissed_count|\+0x[0-9a-f]+/0x[0-9a-f]+)'
)

name='' image='' cpus=1 memory=1024 limit=1800 append='' mode=run icount='' turns='' devices=() folders=() command=()
[ $# -gt 0 ] || fail "usage: ${0##*/} NAME [OPTION...] --files DIR -- COMMAND [ARGUMENT...]"
name=$1
shift
while [ $# -gt 0 ]; do
    case $1 in
    --shell) mode=shell ;;
    --turns) turns=1 ;;
    --icount) icount=1 ;;
    # The card's own program to boot from is in another package.
    --network) devices+=(-netdev 'user,id=net' -device 'virtio-net-pci,netdev=net,romfile=') ;;
    --)
        shift
        command=("$@")
        break
        ;;
    --files | --kernel | --cpus | --memory | --timeout | --append | --disk)
        [ $# -gt 1 ] || fail "$1: no value"
        case $1 in
        --files) folders+=("$2") ;;
        --kernel) image=$2 ;;
        --cpus) cpus=$2 ;;
        --memory) memory=$2 ;;
        --timeout) limit=$2 ;;
        --append) append=$2 ;;
        --disk) devices+=(-drive "file=$2,format=raw,if=none,id=disk" -device 'nvme,drive=disk,serial=disk') ;;
        esac
        shift
        ;;
    *) fail "$1: no such option" ;;
    esac
    shift
done
for number in "$cpus" "$memory" "$limit"; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || fail "$number: not a positive number"
done
for folder in "${folders[@]}"; do
    [ -d "$folder" ] || fail "$folder: not a folder"
done
[ -z "$icount" ] || [ "$cpus" = 1 ] || fail '--icount: with one processor only'
[ "${#command[@]}" -gt 0 ] || [ "$mode" = shell ] || fail 'no command'
for program in busybox cpio gcc; do
    type -P "$program" >/dev/null || fail "no $program; run: userspace/packages.sh vm"
done

kernel=$("$vm/fetch-kernel.sh" "$name") || fail "no kernel $name"
arch=$(cat "$kernel/arch" 2>/dev/null) || arch=amd64
emulator=$("$vm/fetch-qemu.sh" "$arch") || fail 'no emulator'
compiler=gcc busybox=$(type -P busybox)
if [ "$arch" = arm64 ]; then
    compiler=aarch64-linux-gnu-gcc
    busybox=$("$vm/fetch-sysroot.sh" "$arch")/bin/busybox || fail "no busybox of $arch"
    type -P $compiler >/dev/null || fail "no $compiler; run: userspace/packages.sh arm64"
fi

# One of the files is locked for as long as the machine runs. Waiting processes get it in the order in which
# they came.
await_place() {
    local place
    exec {queue}>"$top/build/vm/place-queue"
    flock "$queue"
    while :; do
        for ((place = 0; place <= $(nproc); place++)); do
            exec {held}>"$top/build/vm/place-$place"
            ! flock -n "$held" || break 2
            exec {held}>&-
        done
        sleep 0.5
    done
    exec {queue}>&-
}

# ---- the first files ----

mkdir -p "$top/build/vm"
init=$top/build/vm/guest_init-$arch
scratch='' machine=''
# shellcheck disable=SC2317  # the trap calls it
clean_up() {
    trap '' INT TERM HUP
    [ -z "$machine" ] || { kill "$machine" && wait "$machine"; } 2>/dev/null
    [ -z "$scratch" ] || rm -rf "$scratch"
}
trap clean_up EXIT
scratch=$(mktemp -d "${TMPDIR:-$top/build/vm}/run.XXXXXX") || fail 'no place for the first files'

if [ ! "$init" -nt "$vm/guest_init.c" ]; then
    { "$compiler" -static -s -O2 -Wall -Wextra -Werror -o "$init.$$" "$vm/guest_init.c" &&
        mv "$init.$$" "$init"; } || fail 'guest_init could not be built'
fi

# archive FOLDER: the kernel takes several, one after the other.
archive() { (cd "$1" && find . -print0 | cpio --quiet -0 -o -H newc -R 0:0); }

root=$scratch/root
{ mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin} && cp "$init" "$root/init" &&
    cp "$busybox" "$root/bin/busybox" &&
    printf '%s\0' "$mode" "${command[@]}" >"$root/command"; } || fail 'no place for the first files'
for folder in "$root" "${folders[@]}"; do
    archive "$folder" || fail "$folder: could not be archived"
done >"$scratch/initramfs"

# ---- the run ----

number=1
until (set -o noclobber && : >"$top/build/vm/$name-$number.log") 2>/dev/null; do
    number=$((number + 1))
    [ "$number" -lt 100000 ] || fail 'build/vm: no log could be made'
done
log=$top/build/vm/$name-$number.log

clock=(-accel 'tcg,thread=multi')
[ -z "$turns" ] || clock=(-accel 'tcg,thread=single')
[ -z "$icount" ] || clock=(-accel 'tcg,thread=single' -icount 'shift=0,sleep=off' -rtc clock=vm)
arguments='ignore_loglevel panic=-1 rdinit=/init'
case $arch in
amd64)
    # la57: with five levels of page tables KASAN complains of the direct map while the boot processor's
    # features are read again: the kernel then takes it for one with four levels. erms, fsrm: with these the
    # kernel copies and clears memory byte by byte, each a step of the emulator.
    machine_options=(-cpu 'max,la57=off,erms=off,fsrm=off')
    # tsc=nowatchdog: the clocksource watchdog of kernel 7.3 has one processor wait for another, with
    # interrupts off, until a clock says that it took too long. While that clock is still jiffies it
    # stands, and if the other is in stop_machine(), to switch the clock, both wait for ever: seen in
    # slow boots.
    # no_timer_check: a loaded machine's timer comes too late for that check, which ends in a panic.
    arguments+=' console=ttyS0 tsc=nowatchdog no_timer_check'
    ;;
arm64)
    # The architecture's own code for pointers takes most of an emulated machine's time.
    machine_options=(-M virt -cpu 'max,pauth-impdef=on')
    arguments+=' console=ttyAMA0'
    ;;
esac
# Guards against speculation take a tenth of an emulated machine's time. One kernel has them, as users
# do.
case $name in 6.1*) ;; *) arguments+=' mitigations=off' ;; esac
qemu=("$emulator" "${clock[@]}" "${machine_options[@]}" "${devices[@]}" -smp "$cpus" -m "$memory"
    -nodefaults -no-user-config -no-reboot -display none
    -kernel "${image:-$kernel/vmlinuz}" -initrd "$scratch/initramfs"
    -append "$arguments $append")

# Reads the lines of the second port. Those of the command go to stdout, the others to a file each.
receive() {
    LC_ALL=C sed -u -n -e '/^o /{s///p;d}' -e "s/^x //w $scratch/exit_code" \
        -e "s/^e //w $scratch/error"
}

run_machine() {
    exec {reports}> >(receive)
    receiver=$!
    timeout -k 5 "$limit" "${qemu[@]}" -serial "file:$log" -chardev file,id=out,path=/dev/stdout \
        -serial chardev:out <&- >&"$reports" &
    machine=$!
    exec {reports}>&-
    wait "$machine"
    status=$?
    machine=''
    wait "$receiver"
}

[ "$mode" = shell ] || await_place
started=$(date +%s%N)
if [ "$mode" = shell ]; then
    say "ctrl-a x ends the machine at once"
    "${qemu[@]}" -chardev "stdio,id=terminal,mux=on,signal=off,logfile=$log" -mon terminal \
        -serial chardev:terminal -serial "file:$scratch/report"
    status=$?
    receive <"$scratch/report"
else
    run_machine
fi
seconds=$((($(date +%s%N) - started) / 100000000))
seconds=$((seconds / 10)).$((seconds % 10))

# ---- what came of it ----

complained=$(tr -d '\r' <"$log" | sed -E 's/^\[ *[0-9.]+\](\[[^]]*\])? //' |
    grep -a -E "$complaints" | grep -a -v -x -E -f <(printf '%s\n' "${harmless[@]}"))
[ -z "$complained" ] || printf '%s\n' "$complained" | sed 's/^/  /' >&2
say "$name: $seconds s, log ${log#"$PWD/"}"

if [ ! -s "$scratch/exit_code" ]; then
    tail -n 40 "$log" | tr -d '\r' | sed 's/^/  /' >&2
    if [ -s "$scratch/error" ]; then
        fail "$name: $(cat "$scratch/error")"
    elif [ "$status" = 124 ]; then
        fail "$name: not done after $limit s"
    elif grep -q -a 'Kernel panic' "$log"; then
        fail "$name: the kernel panicked: ${complained%%$'\n'*}"
    else
        fail "$name: the machine ended without an exit code (qemu: $status)"
    fi
fi
# Otherwise what the kernel said last may be missing.
grep -q -a 'reboot: Power down' "$log" || fail "$name: did not power off (qemu: $status)"
if [ -n "$complained" ]; then
    say "$name: the kernel complained: ${complained%%$'\n'*}"
    exit 124
fi
exit "$(cat "$scratch/exit_code")"
