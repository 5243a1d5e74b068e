#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# vm/run.sh and vm/kbuild.sh themselves, on every kernel of vm/kernels.list: what comes out of a
# guest is what happened in it. One machine for each kernel, and one for each way to fail.
#
#   vm_harness.sh RESULTS     adds "pass NAME", "fail NAME", "skip NAME: reason" lines to that file
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/vm_harness.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"

# expect NAME WANTED GOT
expect() {
    if [ "$2" = "$3" ]; then
        echo "pass vm harness: $1" >>"$results"
    else
        echo "fail vm harness: $1" >>"$results"
        printf 'vm harness: %s\nwanted: %s\ngot:    %s\n' "$1" "$2" "$3"
    fi
}

# run NAME ARGUMENT...: run.sh's; sets code, and the files out and err of $work.
run() {
    timeout 400 vm/run.sh "$@" >"$work/out" 2>"$work/err"
    code=$?
}

says() { if grep -q -e "$1" "$work/err"; then echo yes; else cat "$work/err"; fi; }

# ---- what goes right, on each kernel ----

on_kernel() {
    local name=$1 work=$scratch/$1 kernel release
    local module=$work/module files=$work/files
    mkdir -p "$module" "$files/etc"
    kernel=$(vm/fetch-kernel.sh "$name")
    release=$(cat "$kernel/release")

    cp tests/vm/hello/* "$module"
    vm/kbuild.sh "$name" "M=$module" modules >"$work/log" 2>&1 || cat "$work/log"
    expect "$name: a module is made for the kernel" "$release" \
        "$(modinfo -F vermagic "$module/hello.ko" | cut -d' ' -f1)"
    expect "$name: a module has its .BTF" ' .BTF ' \
        "$(readelf -SW "$module/hello.ko" | grep -o ' \.BTF ')"

    cp "$module/hello.ko" "$files"
    vm/add-program.sh "$files" tac
    printf 'second\nfirst\n' >"$files/etc/lines"
    cat >"$files/start" <<'END'
uname -r
insmod /hello.ko times=2 && dmesg | grep -c 'hello, guest'
test -s /sys/kernel/btf/hello && rmmod hello && echo unloaded
/bin/tac /etc/lines
for folder in /proc /sys /dev /sys/kernel/debug /sys/kernel/tracing /sys/fs/bpf; do
    grep -q "^[^ ]* $folder " /proc/mounts || echo "$folder: not mounted"
done
nproc
echo "x 0"
echo "to stderr" >&2
echo "$1"
printf 'no line end'
exit 3
END
    run "$name" --cpus 2 --files "$files" -- sh /start 'two  words'
    expect "$name: the exit code is the command's" 3 "$code"
    expect "$name: the output is the command's" "$release
2
unloaded
first
second
2
x 0
to stderr
two  words
no line end" "$(cat "$work/out")"
    [ "$code" = 3 ] || cat "$work/err"
}

on_kernels() {
    local name builder suite
    while read -r name builder suite; do
        case $name in
        '#'*) ;;
        *)
            if [ "$suite" = built ] && [ ! -x "vm/$builder" ]; then
                echo "skip vm harness: $name: no vm/$builder" >>"$results"
            else
                on_kernel "${name%%-*}"
            fi
            ;;
        esac
    done <vm/kernels.list
}

# ---- what goes wrong, on one of them ----

some=6.1
empty=$scratch/empty
mkdir "$empty"

going_wrong() {
    local work=$scratch/wrong
    mkdir "$work"
    run $some --files "$empty" -- true
    expect 'exit code 0' 0 "$code"
    expect 'no output' '' "$(cat "$work/out")"

    run $some --files "$empty" -- sh -c 'kill -9 $$'
    expect 'a killed command has 128 and the signal' 137 "$code"

    run $some --files "$empty" -- /no/such/command
    expect 'a command that is not there' '127 init: /no/such/command: No such file or directory' \
        "$code $(cat "$work/out")"

    run $some --files "$empty" -- sh -c 'echo "WARNING: of the test" >/dev/kmsg; echo done'
    expect 'a warning of the kernel is 124' '124 done' "$code $(cat "$work/out")"
    expect 'a warning of the kernel is shown' yes "$(says '^  WARNING: of the test$')"

    run $some --timeout 6 --files "$empty" -- sh -c 'echo before; sleep 100'
    expect 'not done in time is 125' 125 "$code"
    expect 'not done in time is said' yes "$(says 'not done after 6 s$')"

    run $some --files "$empty" -- sh -c 'echo before; sleep 1; echo c >/proc/sysrq-trigger; echo after'
    expect 'a panic is 125' '125 before' "$code $(cat "$work/out")"
    expect 'a panic is said' yes "$(says 'the kernel panicked: Kernel panic - not syncing: sysrq triggered crash$')"

    run $some --append 'init=/none rdinit=/none' --files "$empty" -- true
    expect 'no boot is 125' 125 "$code"

    timeout --preserve-status 5 vm/run.sh $some --files "$empty" -- sleep 100 2>"$work/err"
    expect 'a run that is interrupted is 125' 125 $?
    expect 'a run that is interrupted is said' yes "$(says '^run: interrupted$')"
}

# ---- what is never started ----

never_started() {
    local work=$scratch/never what arguments reason
    mkdir "$work"
    while IFS='|' read -r what arguments reason; do
        # shellcheck disable=SC2086  # a list of words
        run $arguments
        expect "$what is 125" 125 "$code"
        expect "$what is said" yes "$(says "^run: .*$reason")"
    done <<END
no arguments||usage:
an unknown kernel|5.10 --files $empty -- true|no kernel 5.10
no command|$some --files $empty|no command
an unknown option|$some --file $empty -- true|--file: no such option
no folder|$some --files $empty/none -- true|none: not a folder
no number|$some --timeout soon -- true|soon: not a positive number
exact time with two processors|$some --icount --cpus 2 --files $empty -- true|with one processor only
END
}

going_wrong &
on_kernels
never_started
wait
expect 'no temporary file stays' '' "$(ls "$TMPDIR")"
expect 'no machine stays' '' "$(pgrep -f "qemu-system.*$TMPDIR")"
