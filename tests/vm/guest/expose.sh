#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: `btf-extra expose`, its lists, and what comes and goes.
# shellcheck source=tests/harness/rows.sh
. /rows.sh
# shellcheck source=tests/vm/guest/firmware.sh
. /firmware.sh
cd / || exit 1
stubs=/sys/kernel/btf_extra/inlined
expose() { btf-extra expose --template /inlined.ko "$@"; }
fails() {
    row=$1 message=$2
    shift 2
    got=$(expose "$@" 2>&1 >/dev/null | tail -n 1)
    same "$row" "btf-extra: $message" "$got"
}
value() { sed -n "s/^$2 //p" "$stubs/$1"; }
loaded() { awk '/^inlined/ { print $1 }' /proc/modules | sort | xargs; }
# The names of all stubs, by the symbols.
symbols() {
    awk '$4 ~ /^\[inlined/ && $2 == "t" { print $3 }' /proc/kallsyms |
        grep -v '^inlined_\|^init_module\|^cleanup_module\|^__pfx_\|^\$' | sort | xargs
}
listed() { btf-extra expose --list 2>/dev/null | awk '{ print $1 }' | sort | xargs; }

same 'without btf_extra' 'btf-extra: btf_extra is not loaded' "$(expose skb_headlen 2>&1 | cut -d, -f1)"
load_with_firmware || exit 1
grep -q tracefs /proc/mounts || mount -t tracefs tracefs /sys/kernel/tracing

same 'nothing is exposed' '' "$(listed)"
fails 'an unknown function' 'running kernel: no function nobody_has_it' nobody_has_it
fails 'a function without inlined sites' 'start_kernel: it is not inlined' start_kernel
same 'no template' "btf-extra: /lib/modules/$(uname -r): no inlined.ko: it is built with btf_extra.ko; --template KO names one elsewhere" \
    "$(btf-extra expose skb_headlen 2>&1)"
same 'a template of another kernel' \
    "btf-extra: /inlined_0.ko: .modinfo: built for another kernel: '0$(uname -r | cut -c 2-)', not $(uname -r)" \
    "$(btf-extra expose --template /inlined_0.ko skb_headlen 2>&1 | sed "s/ SMP [^']*//")"
fails 'one that is refused ends it' 'start_kernel: it is not inlined; --best-effort exposes the others' \
    skb_headlen start_kernel
same 'nothing was loaded' '' "$(loaded)"

expose skb_headlen >/tmp/said 2>/tmp/left
same 'its line' \
    "skb_headlen void skb_headlen(const struct sk_buff *skb) $(value skb_headlen usable) of $(value skb_headlen sites) sites" \
    "$(tr -s ' ' </tmp/said)"
same 'sites are those of the tables' "$(value skb_headlen sites)" \
    "$(btf-extra list vmlinux:skb_headlen | sed 's/.* \([0-9]*\) sites.*/\1/')"
cat /tmp/left
same 'sites that are left out are reported' "$(grep -c ^left_out "$stubs/skb_headlen")" "$(wc -l </tmp/left)"
same 'the module' inlined "$(loaded)"
same 'the symbols' skb_headlen "$(symbols)"
same 'ftrace knows it' 1 "$(grep -c '^skb_headlen \[inlined\]$' /sys/kernel/tracing/available_filter_functions)"

# ---- more ----
expose --arm tcp_ack_update_window >/tmp/said 2>&1
cat /tmp/said
same 'armed by hand' "held $(value tcp_ack_update_window usable)" \
    "$(value tcp_ack_update_window state) $(value tcp_ack_update_window armed)"
same 'one module has both' inlined "$(loaded)"
same 'both' 'skb_headlen tcp_ack_update_window' "$(symbols)"
expose skb_headlen >/dev/null 2>&1
same 'what is there is left alone' 'skb_headlen tcp_ack_update_window' "$(symbols)"
same 'with other parameters' 'its stub has other parameters: expose --remove skb_headlen' \
    "$(expose skb_headlen --without skb 2>&1 | sed 's/.*: its/its/')"
row 'one more' expose select_bucket@kernel/bpf/hashtab.c
same 'what was armed by hand is armed again' "held $(value tcp_ack_update_window usable)" \
    "$(value tcp_ack_update_window state) $(value tcp_ack_update_window armed)"
same 'the list' "$(symbols)" "$(listed)"
same 'the list in JSON' 3 "$(btf-extra expose --list --json | grep -c '"module": "inlined"')"

# ---- held ----
expose_guest hold >/tmp/id &
holder=$!
while [ ! -s /tmp/id ] && [ -e /proc/$holder ]; do sleep 0.1; done
row 'a program is attached' [ -s /tmp/id ]
expose --remove >/tmp/held 2>&1
same 'a module that is held stays' "1 btf-extra: inlined is in use: BPF program $(cat /tmp/id)" \
    "$? $(sed 's/\(BPF program [0-9]*\).*/\1/' /tmp/held)"
same 'nothing was taken away' 3 "$(listed | wc -w)"
row 'then others go elsewhere' expose tcp_ack_snd_check
same 'two modules' 'inlined inlined_2' "$(loaded)"
same 'all of them' "$(symbols)" "$(listed)"
row 'of the other one all go' btf-extra expose --remove 'tcp_ack_sn*'
same 'one module is left' inlined "$(loaded)"
kill $holder
wait $holder
sleep 1
row 'some are taken away' expose --remove 'select_*' 'tcp_*'
same 'the rest' skb_headlen "$(symbols)"
fails 'no such stub' 'tcp_*: no such function is exposed' --remove 'tcp_*'
row 'all are taken away' btf-extra expose --remove
same 'no module is left' '' "$(loaded)"

# ---- a file, and many ----
row 'a file is written' expose skb_headlen --output /tmp/inlined.ko
same 'nothing is loaded' '' "$(loaded)"
row 'it can be loaded' insmod /tmp/inlined.ko
same 'it is what was asked for' skb_headlen "$(listed)"
row 'it is taken away' btf-extra expose --remove
began=$(awk '{ print $1 }' /proc/uptime)
expose --best-effort 's*' 'n*' >/tmp/said 2>/dev/null
same 'many are exposed' 0 $?
echo "# $(wc -l </tmp/said) functions in $(awk -v began="$began" '{ print $1 - began }' /proc/uptime) s"
same 'in several modules' "$(($(wc -l </tmp/said) / 1000 + 1))" "$(loaded | wc -w)"
row 'many are written' expose --best-effort 's*' 'n*' --output /tmp/many.ko
same 'in as many files' "$(loaded | wc -w)" "$(find /tmp -name 'many*.ko' | wc -l)"
rm -f /tmp/many*.ko
same 'each is a symbol' "$(awk '{ print $1 }' /tmp/said | sort | xargs)" "$(symbols)"
same 'no name is twice' '' "$(awk 'NR == FNR { mine[$1]; next } $3 in mine && seen[$3]++ { print $3 }' /tmp/said /proc/kallsyms)"

# ---- names resolve as before ----
# It takes minutes, so it runs on one kernel. The code that looks up a name is the same in all of them.
compare_names() {
    expose_guest names /tmp/with /tmp/said
    same 'names are tried with these stubs' 0 $?
    row 'many are taken away' btf-extra expose --remove
    expose_guest names /tmp/without /tmp/said
    same 'names are tried without' 0 $?
    for what in 'kprobe' 'fentry' 'name'; do
        grep "^$what " /tmp/with >/tmp/is
        grep "^$what " /tmp/without >/tmp/was
        echo "# $what: $(wc -l </tmp/was), attached: $(grep -c ' attached$' /tmp/was)"
        same "$what: each name leads where it led" '' \
            "$(diff /tmp/was /tmp/is | grep '^[-+][^-+]' | head -n 4)"
    done
    for what in 'kprobe' 'fentry'; do
        row "$what: most of 500 attach" [ "$(grep -c "^$what .* attached$" /tmp/without)" -gt 250 ]
    done
    row 'name: those of all FUNCs' [ "$(wc -l </tmp/was)" -gt 20000 ]
}
row 'there were at least 2,000 stubs' [ "$(wc -l </tmp/said)" -ge 2000 ]
case $(uname -r) in
6.1.*) compare_names ;;
*) row 'many are taken away' btf-extra expose --remove ;;
esac
same 'nothing is left' '' "$(loaded)$(ls "$stubs")"
row 'the modules unload' rmmod btf_extra
