#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: phantom functions.
#
#   phantoms.sh [SECONDS]     how long the storm is
# shellcheck source=tests/harness/rows.sh
. /rows.sh

mkdir -p /lib/firmware && cp -r /phantoms /lib/firmware/btf_extra || exit 1

# A patched kernel's build gives tables to each module, to the template, too. Its object would have the
# name of the folder of stubs.
manifest=$(echo /lib/firmware/btf_extra/*/manifest)
cp "$manifest" /tmp/manifest && echo "inlined $(cat /inlined.build_id)" >>"$manifest"
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1
refused_with_tables() {
    ! insmod /inlined.ko && dmesg | tail -n 4 >/tmp/said &&
        grep -q 'inlined: refused: sysfs has a file of its name (-17)' /tmp/said &&
        grep -q 'inlined: refused: it is the template' /tmp/said
}
row 'the template with tables of its own is refused, and no more than that' refused_with_tables
rmmod btf_extra_vmlinux btf_extra && mv /tmp/manifest "$manifest" || exit 1

insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /shapes.ko &&
    insmod /phantom_sites.ko || exit 1
grep -q tracefs /proc/mounts || mount -t tracefs tracefs /sys/kernel/tracing
expose() { btf-extra expose --template /inlined.ko "$@"; }

refused() { ! insmod /inlined.ko && dmesg | tail -n 3 | grep -q 'refused: it is the template'; }
row 'the template itself is refused' refused
phantoms_guest edited
same 'modules of stubs that were edited: comes to its end' 0 $?
row 'functions are exposed' expose shapes:shape_register shapes:shape_many \
    shapes:shape_both __select_bucket
bucket=$(cd /sys/kernel/btf_extra/inlined && echo __select_bucket*)
phantoms_guest programs stack "recursion:$bucket" modules
same 'phantoms_guest comes to its end' 0 $?

# A stub has the registers of arguments, and no stack of its caller.
case $(uname -m) in x86_64) beyond=g ;; *) beyond=i ;; esac
same 'more arguments than registers are refused' \
    "btf-extra: shapes:shape_fourteen: $beyond is not passed in integer registers" \
    "$(expose shapes:shape_fourteen 2>&1)"
row 'one is armed when it is exposed' expose --arm phantom_sites:site_called
phantoms_guest from_the_first
row 'one that is inlined into a handler of a kprobe is exposed' expose phantom_sites:site_in_probe
same 'the file of a stub is for root only' 600 "$(stat -c %a /sys/kernel/btf_extra/inlined/site_in_probe)"
phantoms_guest gone coming
same 'phantoms_guest comes to its end while modules come and go' 0 $?
stub_of() { (cd /sys/kernel/btf_extra/inlined && echo "$1"*); }
# On arm64 kprobes keep out of the unwinder, and Debian's kernels have no NMIs.
case $(uname -m) in
x86_64)
    row 'functions in odd places are exposed' expose phantom_sites:site_in_nmi __current_set_polling
    row 'so are those of the unwinder' expose --best-effort on_stack
    places="idle:$(stub_of __current_set_polling) nmis ask_in_nmi callbacks:$(stub_of on_stack)"
    ;;
*)
    row 'a function of the idle task is exposed' expose cpuidle_idle_call
    places="idle:$(stub_of cpuidle_idle_call)"
    ;;
esac
[ ! -e /live_patch.ko ] || places="$places patches"
# shellcheck disable=SC2086  # a list of words
phantoms_guest $places multi
same 'phantoms_guest comes to its end in these places' 0 $?
for name in site_ __current_ cpuidle_ on_stack; do
    [ "$(stub_of $name)" = "$name*" ] || row "these are taken away: $name" expose --remove "$name*"
done
row 'more functions are exposed' expose --best-effort 'fdget*' 'file_inode*'
phantoms_guest "storm:${1:-10}"
same 'the storm comes to its end' 0 $?
row 'the stubs are taken away' btf-extra expose --remove
row 'the modules unload' rmmod phantom_sites shapes btf_extra_vmlinux btf_extra
