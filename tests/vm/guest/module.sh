#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: btf_extra.ko, the data module, firmware for a module that comes and goes.
# tests/vm/module.sh puts there what it needs.
cd / || exit 1
# shellcheck source=tests/harness/rows.sh
. /rows.sh

# Prints what btf_extra has logged since the last call.
said() { dmesg -c | tee -a /log | sed -n 's/^\[[^]]*\] btf_extra: //p' | grep -v -e 'out-of-tree' -e 'verification failed'; }

load() { insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko; }
unload() {
    # Programs and files that were just closed may hold it for a moment.
    for _ in 1 2 3 4 5; do rmmod "$1" 2>/dev/null && return; sleep 1; done
    rmmod "$1"
}

# On arm64 GCC has bodies after the hook for ftrace; newer kernels have a hook before the symbol, too, and
# bodies begin at it.
case $(uname -mr) in 6.*aarch64) hook=8 ;; *) hook=0 ;; esac

sites=/sys/kernel/debug/btf_extra/sites
firmware=/lib/firmware/btf_extra/$(uname -r)
dmesg -c >/dev/null

# ---- data module ----

same 'command without the module' \
    '1 btf-extra: /dev/btf_extra: btf_extra is not loaded: btf-extra install makes tables and loads it' \
    "$(got=$(btf-extra stat --running 2>&1); echo "$? $got")"
row 'modules load' load
line=$(said)
same 'one line in dmesg' '1 object: F functions, S sites, B bytes, M ms' \
    "$(echo "$line" | sed 's/[0-9][0-9]* functions/F functions/; s/[0-9][0-9]* sites/S sites/
        s/[0-9][0-9]* bytes/B bytes/; s/[0-9][0-9]* ms/M ms/')"
echo "$line"
milliseconds() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }
began=$(milliseconds)
wc -l </proc/kallsyms >/dev/null
walk=$(($(milliseconds) - began))
echo "$line" | awk -v walk=$walk '{ print "load is", $(NF - 1) / walk, "of one walk over kallsyms,", walk, "ms" }'
btf-extra stat --json /vmlinux.btf_extra >/stat
stat_number() { sed -n "s/^ *\"$1\": \([0-9.]*\),/\1/p" /stat; }
others=$(($(stat_number bytes_variables) + $(stat_number bytes_expressions) + $(stat_number bytes_repeated_protos)))
same 'at most 25 bytes a site, without variables and expressions' yes "$(echo "$line" | sed 's/[^0-9 ]//g' |
    awk -v others="$others" '{ bytes = $4 - others; print (bytes <= 25 * $3 ? "yes" : bytes / $3) }')"
same 'at most 0.6 bytes a site of expressions' yes \
    "$(stat_number expression_bytes_per_site | awk '{ print ($1 > 0 && $1 <= 0.6 ? "yes" : $1) }')"
same 'the kernel has the types by name' "$(md5sum </types.bin)" \
    "$(md5sum </sys/kernel/btf/btf_extra_vmlinux)"
same 'types of the object' "$(md5sum </types.bin)" "$(md5sum </sys/kernel/btf_extra/vmlinux.types)"
same 'locations of the object' "$(md5sum </func_info.bin)" \
    "$(md5sum </sys/kernel/btf_extra/vmlinux)"

# ---- a module comes and goes ----

mkdir -p "$firmware"
sample() { cp "$1" "$firmware/btf_extra_sample.btf_extra"; }
count() { object_list | awk '$1 == "btf_extra_sample" { n = $2 } END { print n + 0 }'; }
shown() { for file in /sys/kernel/btf_extra/btf_extra_sample*; do [ ! -e "$file" ] || echo "$file"; done; }
id=$(cat /sample.build_id)
unload btf_extra_vmlinux && unload btf_extra
echo "btf_extra_sample $id" >"$firmware/manifest"
sample /sample.btf_extra
row 'modules load again' load
said >/dev/null
same 'a module that is not loaded has no sites' 0 "$(count)"
insmod /btf_extra_sample.ko
same 'a module that comes has its sites' "$(cat /sample.sites)" "$(count)"
same 'and nothing is said of it' '' "$(said)"
same 'its blob is shown' "$(md5sum </sample.func_info)" \
    "$(md5sum </sys/kernel/btf_extra/btf_extra_sample)"
# The list takes seconds to read.
grep -v '^[0-9a-f]* s ' $sites >/tmp/sites
grep '\[btf_extra_sample\]' /tmp/sites >/listed
cat /listed
same 'debugfs lists them' "$(cat /sample.sites)" "$(wc -l </listed)"
same 'debugfs lists every site of vmlinux' "$(echo "$line" | sed 's/.* \([0-9]*\) sites.*/\1/')" \
    $(($(wc -l </tmp/sites) - $(wc -l </listed)))
rm /tmp/sites
same 'its bodies are where kallsyms has them' \
    "$(grep -E ' (sample_body|sample_other).\[btf_extra_sample\]' /proc/kallsyms |
        while read -r at _ name _; do printf '%x %s\n' $((0x$at + hook)) "$name"; done | sort)" \
    "$(grep -E ' t (sample_body|sample_other).\[' /listed |
        awk '{ print $1, $3 }' | sort)"
same 'text that its init needed is gone' 0000000000000000 \
    "$(grep -E ' t sample_init.\[' /listed | cut -d' ' -f1)"
# Asks for all of both objects, or for each Nth of vmlinux where tests/vm/module.sh says so.
hook=$hook sh /running.sh --every "$(cat /every)" vmlinux=/vmlinux.btf_extra btf_extra_sample=/sample.btf_extra
same 'the questions come to their end' 0 $?
rmmod btf_extra_sample
same 'a module that goes takes them away' 0 "$(count)"
same 'and its blob' '' "$(shown)"

insmod /btf_extra_sample.ko
unload btf_extra_vmlinux
unload btf_extra
insmod /btf_extra.ko
same 'a module that was there before has its sites' "$(cat /sample.sites)" "$(count)"
insmod /btf_extra_vmlinux.ko
said >/dev/null
same 'and keeps them when vmlinux comes' "$(cat /sample.sites)" "$(count)"
rmmod btf_extra_sample

# ---- a file that takes its time ----

rm "$firmware/btf_extra_sample.btf_extra"
mkfifo "$firmware/btf_extra_sample.btf_extra"
insmod /btf_extra_sample.ko &
reader=$!
sleep 1
row 'another module comes and goes while a file is read' \
    timeout 20 sh -c 'insmod /hello.ko && rmmod hello'
# No regular file: the kernel refuses it, and goes on.
: >"$firmware/btf_extra_sample.btf_extra"
wait $reader
same 'and what is no file is refused' \
    'btf_extra_sample: in the manifest, but its file cannot be read' "$(said)"
rmmod btf_extra_sample
rm "$firmware/btf_extra_sample.btf_extra"
sample /sample.btf_extra

# ---- come and go under look-ups ----

query_stress "${SECONDS_OF_STRESS:-8}" 3 btf_extra_sample sample_inlined 5 >/stress 2>&1 &
stress=$!
turns=0
while kill -0 $stress 2>/dev/null; do
    insmod /btf_extra_sample.ko && rmmod btf_extra_sample
    turns=$((turns + 1))
done
wait $stress
same "look-ups while a module comes and goes" 0 $?
cat /stress
echo "$turns turns"

# ---- btf_extra goes while modules come ----

unload btf_extra_vmlinux
unload btf_extra
touch /coming
while [ -e /coming ]; do
    # btf_extra may hold it for a moment.
    insmod /btf_extra_sample.ko 2>/dev/null
    rmmod btf_extra_sample 2>/dev/null
done &
for _ in 1 2 3 4 5 6 7 8 9 10; do
    insmod /btf_extra.ko
    unload btf_extra || break
done
rm /coming
wait
rmmod btf_extra_sample 2>/dev/null
same 'it goes while modules come, and all of them go' '' "$(cut -d' ' -f1 /proc/modules)"

# ---- vmlinux from firmware ----

same 'nothing is left' '' \
    "$(ls -d /sys/kernel/btf_extra /dev/btf_extra /sys/kernel/debug/btf_extra /sys/kernel/btf/btf_extra* 2>/dev/null
    grep btf_extra /proc/kallsyms | head -n 3)"
cp /vmlinux.btf_extra "$firmware/"
printf 'btf_extra_sample %s\nvmlinux %s\n' "$id" "$(cat /vmlinux.build_id)" >"$firmware/manifest"
dmesg -c >/dev/null
insmod /btf_extra.ko
same 'vmlinux from firmware' "$(echo "$line" | sed 's/, [0-9]* ms//')" \
    "$(said | sed 's/, [0-9]* ms//')"
same 'its types' "$(md5sum </types.bin)" "$(md5sum </sys/kernel/btf_extra/vmlinux.types)"
insmod /btf_extra_vmlinux.ko
same 'the data module takes its place' "$(echo "$line" | sed 's/, [0-9]* ms//')" \
    "$(said | sed 's/, [0-9]* ms//')"
unload btf_extra_vmlinux
unload btf_extra

# ---- the root of init, and that of who loads the module ----

mkdir /jail && cp /bin/busybox /btf_extra.ko /jail
load_in_jail() { chroot /jail /busybox insmod /btf_extra.ko; }
row 'it loads in a chroot' load_in_jail
same 'firmware is that of the system' "$(echo "$line" | sed 's/, [0-9]* ms//')" \
    "$(said | sed 's/, [0-9]* ms//')"
unload btf_extra
mv "$firmware" /kept && mkdir -p "/jail$firmware" && cp /kept/manifest "/jail$firmware"
row 'it loads where the chroot alone has firmware' load_in_jail
same 'the firmware of the chroot is not asked for' '' "$(dmesg -c | grep 'irmware')"
unload btf_extra
rm -r /jail && mv /kept "$firmware"

# ---- a build-id of 8 bytes ----

echo 'btf_extra_sample 0102030405060708' >"$firmware/manifest"
sample /short_id.btf_extra
insmod /btf_extra.ko && insmod /short_id.ko
same 'a module whose build-id has 8 bytes has its sites' "$(cat /sample.sites)" "$(count)"
rmmod btf_extra_sample
unload btf_extra
sample /sample.btf_extra
printf 'btf_extra_sample %s\nvmlinux %s\n' "$id" "$(cat /vmlinux.build_id)" >"$firmware/manifest"

# ---- a distribution's own modules, from the folder that the command made ----

if [ -d /debian ]; then
    mv "$firmware" /kept && cp -r /firmware/out "$firmware"
    dmesg -c >/dev/null
    insmod /btf_extra.ko
    same 'the folder has vmlinux' "$(echo "$line" | sed 's/, [0-9]* ms//')" \
        "$(said | sed 's/, [0-9]* ms//')"
    for module in libcrc32c xfs tcp_bbr; do insmod "/debian/$module.ko"; done
    same 'nothing is said of modules' '' "$(said)"
    same 'modules have their sites' 'vmlinux xfs tcp_bbr' "$(object_list | awk '{ print $1 }' | xargs)"
    object_list
    running_compare --every 16 vmlinux="$firmware/vmlinux.btf_extra" xfs="$firmware/xfs.btf_extra" \
        tcp_bbr="$firmware/tcp_bbr.btf_extra" >/compared
    same 'with modules: running_compare comes to its end' 0 $?
    sed 's/^\(pass\|fail\) /\1 with modules: /' /compared
    rmmod tcp_bbr xfs libcrc32c
    same 'modules take them along' vmlinux "$(object_list | awk '{ print $1 }' | xargs)"
    unload btf_extra
    rm -rf "$firmware" && mv /kept "$firmware"
fi

# The sums of another kernel's base, and another kernel altogether.
for wrong in base build_id; do
    cp "/wrong_$wrong.btf_extra" "$firmware/vmlinux.btf_extra"
    insmod /btf_extra.ko
    said >/got
    case $wrong in
    base) wanted='vmlinux: refused: made for the base BTF of another kernel' ;;
    build_id) wanted='vmlinux: refused: made for build-id' ;;
    esac
    grep -q "^$wanted" /got || cat /got
    row "vmlinux of another kernel is refused: $wrong" grep -q "^$wanted" /got
    same "and has no sites: $wrong" 0 "$(wc -l <$sites)"
    unload btf_extra
done
echo 'garbage' >"$firmware/manifest"
insmod /btf_extra.ko
same 'a manifest that is none' 'manifest: line 1 cannot be read; no firmware is requested' "$(said)"
unload btf_extra
# Debian's kernels say for which device they have read a file.
same 'no device has its files read again at each suspend' '' "$(grep 'misc btf_extra: ' /log)"
echo 'pass the guest came to its end'
