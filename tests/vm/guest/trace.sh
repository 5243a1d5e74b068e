#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: `btf-extra trace`, first by perf kprobes and a file, then through the module, with the
# same results. Each row is a line "pass NAME" or "fail NAME: what came".
# shellcheck disable=SC2016  # programs of awk
lines=/tmp/lines
told=/tmp/told
probes=/sys/kernel/debug/kprobes/list

# shellcheck source=tests/harness/rows.sh
. /rows.sh

# The line that it prints when it has its probes.
ready='[:,] \([0-9]* of \)\?[0-9]* sites\?\(;\|$\)'

# Starts a trace, and waits for what it says first.
begin() {
    rm -f $lines $told
    btf-extra trace "$@" >$lines 2>$told &
    tracer=$!
    for _ in $(seq 300); do
        grep -q "$ready" $told 2>/dev/null && return
        [ -e /proc/$tracer ] || break
        sleep 0.1
    done
    echo "fail $test: trace $*: $(cat $told)"
}

end() {
    kill -TERM $tracer
    wait $tracer
    same 'it ends in order' 0 $?
}

fails() {
    row=$1 message=$2
    shift 2
    btf-extra trace "$@" >$lines 2>$told
    same "$row" "1 btf-extra: $message" "$? $(tail -n 1 $told)"
}

allocate() {
    for length; do
        fallocate -o 4096 -l "$length" /tmp/allocated
        rm -f /tmp/allocated
    done
}

# Prints the lines without time, CPU and the number of the thread.
bare() { sed 's/^ *[0-9.]* \[[0-9]*\] \([^ ]*\)-[0-9]* /\1 /' "$1"; }

sum() { awk "$1 { sum += $2 } END { print sum + 0 }" $told; }

try_all() {
    begin ksys_fallocate
    same 'it says what is used' "$1" "$(grep -c 'btf_extra is not loaded: perf kprobes' $told)"
    allocate 777 1000
    end
    place=$(awk '{ print $5 }' $lines | sort -u)
    same 'calls of an inlined function' \
        "fallocate ksys_fallocate $place inlined fd=3 mode=0 offset=4096 len=777
fallocate ksys_fallocate $place inlined fd=3 mode=0 offset=4096 len=1000" "$(bare $lines)"
    same 'where they are inlined' sys_fallocate "$(echo "${place%+*}" | sed 's/^__[a-z0-9]*_//')"
    same 'they are in the summary' "2 $place inlined" \
        "$(awk -v place="$place" '$3 == place { print $1, $3, $4 }' $told)"
    sed 's/^/# /' $lines $told

    begin ksys_fallocate --json
    allocate 777
    end
    same 'JSON' 1 "$(grep -c \
        '"function":"ksys_fallocate",.*"site":"inlined","args":{"fd":3,"mode":0,"offset":4096,"len":777}}' \
        $lines)"

    begin ksys_fallocate --body-only
    allocate 777
    end
    same 'bodies alone' '' "$(cat $lines)"

    begin 'ksys_fallocat[e]' 'ksys_wri*' --count 3
    allocate 777
    for _ in 1 2 3; do echo >/dev/null; done
    wait $tracer
    same 'it ends after that many calls' '0 3' "$? $(wc -l <$lines)"
    btf-extra trace ksys_fallocate --duration 0.5 >$lines 2>$told
    same 'it ends after that time' 0 $?

    begin ksys_fallocate --filter 'len > 900 && (mode & 1) == 0 && comm == "fallocate"' \
        --show 'len, comm, fd'
    allocate 777 1000
    end
    same 'a filter, and values that are shown' "fallocate ksys_fallocate $place inlined fd=3 mode=0 \
offset=4096 len=1000 len=1000 comm=\"fallocate\" fd=3" "$(bare $lines)"
    same 'what the filter lets pass' 'btf-extra: 1 of 2 calls pass the filter' \
        "$(grep 'the filter' $told)"

    begin vfs_write --filter 'count == 777 && !(comm != "dd")' --json \
        --show 'file->f_path.dentry->d_name.name, *pos, file->f_inode->i_sb->s_type->name'
    dd if=/dev/zero of=/tmp/written bs=777 count=2 2>/dev/null
    end
    same 'members reached by pointers' '{"file->f_path.dentry->d_name.name":"written","*pos":0,"file->f_inode->i_sb->s_type->name":"'"$rootfs"'"}
{"file->f_path.dentry->d_name.name":"written","*pos":777,"file->f_inode->i_sb->s_type->name":"'"$rootfs"'"}' \
        "$(sed 's/.*"show":\({[^}]*}\).*/\1/' $lines)"

    begin ksys_fallocate --show 'mode' --filter 'pid == 1'
    allocate 777
    end
    same 'no call passes' ' btf-extra: 0 of 1 calls pass the filter' \
        "$(cat $lines) $(grep 'the filter' $told)"

    begin ksys_fallocate --summary len
    allocate 777 1000 777
    end
    same 'a summary by value' '2 ksys_fallocate 777
1 ksys_fallocate 1000' "$(awk 'NR > 1 { print $1, $2, $3 }' $lines)"
    begin ksys_fallocate --summary site --json
    allocate 777 1000
    end
    same 'a summary by site' \
        '{"function":"ksys_fallocate","by":"site","value":"'"$place"'","calls":2}' "$(cat $lines)"
    fails 'a filter that is wrong' "--filter: 'len >': a name is missing at the end" \
        ksys_fallocate --filter 'len >'
    fails 'a missing member' \
        "int ksys_fallocate(int fd, int mode, loff_t offset, loff_t len): len->x: -> after 'loff_t', which is not a pointer" \
        ksys_fallocate --show 'len->x'

    # An exec calls each of these once. The one that runs as counting begins or ends may miss one. Its
    # process has this name until then, and only one has.
    (printf execs >/proc/self/comm && while :; do /bin/sh -c :; done) &
    execs=$!
    begin bprm_execve exec_binprm --summary site --filter 'comm == "execs"'
    sleep 3
    end
    kill $execs
    wait $execs 2>/dev/null
    same 'functions are counted over the same time' 'yes, many' "$(awk '{ calls[$2] += $1 } END {
        less = calls["bprm_execve"] - calls["exec_binprm"]
        print (less >= -1 && less <= 1 ? "yes" : "no: " less) (calls["exec_binprm"] > 20 ? ", many" : ", few")
    }' $lines)"

    begin ksys_write
    for _ in 1 2 3 4 5; do
        echo >/dev/null
        sleep 0.2
    done
    end
    same 'its own calls are left out, and counted' '0 yes' "$(grep -c ' btf-extra-' $lines) $(grep -q \
        '^btf-extra: [0-9]* calls in the threads of this command left out; --self traces them$' $told && echo yes)"
    begin ksys_write --self
    for _ in 1 2 3 4 5; do
        echo >/dev/null
        sleep 0.2
    done
    end
    same 'its own calls are there if asked for' 'yes 0' "$(grep -q ' btf-extra-' $lines && echo yes) $(grep -c 'left out; --self' $told)"

    # More events come in a moment than fit: the dropped ones are counted.
    begin ksys_write
    dd if=/dev/zero of=/dev/null bs=1 count=100000 2>/dev/null
    end
    calls=$(sum '$3 ~ /^ksys_write[+]0x[08]$/' '$1')
    dropped=$(sum '/dropped in all/' '$2')
    same 'a burst: shown and dropped are all calls' "$calls" $(($(wc -l <$lines) + dropped))
    same 'a burst: no call is lost' yes "$([ "$calls" -ge 100000 ] && echo yes)"
    same 'a burst: every value is there' '' "$(grep ' dd-.*=?' $lines | head -n 3)"
    # Perf does not tell which hits the kernel has missed: on 6.12, arm64, one of 100,000 was.
    written=$(grep -c ' dd-.*fd=1 .*count=1$' $lines)
    missed=$(awk '$3 ~ /^ksys_write[+]0x[08]$/ { print $2 }' $told)
    case "$dropped $missed" in
    '0 ?') same 'a burst: what was written' yes \
        "$([ "$written" -gt 99990 ] && [ "$written" -le 100000 ] && echo yes || echo "$written")" ;;
    "0 $missed") same 'a burst: all that was written, except missed calls' $((100000 - missed)) "$written" ;;
    esac
    echo "# $calls calls, $dropped without room"

    fails 'a name of several functions' \
        '__next matches 2 functions: choose one of these' __next
    same 'they are listed' 2 "$(grep -c '^  vmlinux:__next@kernel/trace/trace_[a-z]*.c  void' $told)"
    fails 'a name of none' "$tables: no function nobody_has_it" nobody_has_it
    fails 'a pattern of none' "$tables: no function nobody_*" 'nobody_*'
    fails 'one twice' 'vmlinux:ksys_write: asked for twice' ksys_write vmlinux:ksys_write
    btf-extra trace skb_headlen --max-sites 10 2>$told
    same 'too many sites' '1 yes' "$? $(grep -q 'sites, more than 10' $told && echo yes)"
    btf-extra trace skb_headlen --require skb --all-or-none 2>$told
    same 'a required parameter: all or none' '1 yes' "$? $(grep -q \
        '^btf-extra: skb_headlen: [0-9]* of [0-9]* sites cannot be traced: [a-z_0-9.]*+0x[0-9a-f]* ' $told && echo yes)"
    same 'nothing in it is an internal number' '' "$(grep '#[0-9]\|site [0-9]' $told)"
    btf-extra trace ksys_write --require nobody 2>$told
    same 'a parameter that it does not have' '1 yes' \
        "$? $(grep -q ' has no parameter nobody$' $told && echo yes)"
    same 'no probe is left' '' "$(cat $probes)"

    begin ksys_write
    kill -KILL $tracer
    wait $tracer 2>/dev/null
    for _ in $(seq 50); do
        [ -s $probes ] || break
        sleep 0.1
    done
    same 'no probe is left of one that was killed' '' "$(cat $probes)"

    btf-extra trace ksys_write >/dev/full 2>$told &
    tracer=$!
    for _ in $(seq 100); do
        [ -e /proc/$tracer ] || break
        sleep 0.1
        echo >/dev/null
    done
    wait $tracer
    same 'output that fails' '1 1 btf-extra: stdout: No space left on device' \
        "$? $(grep -c stdout $told) $(tail -n 1 $told)"
}

rootfs=$(stat -f -c %T /tmp)
folder=/lib/firmware/btf_extra/$(uname -r)
test=perf tables=$folder/vmlinux.btf_extra
mkdir -p "$folder" && cp /vmlinux.btf_extra "$folder"
try_all 1
begin ksys_fallocate vfs_write --filter 'comm == "fallocate" || comm == "dd"' --summary caller
allocate 777
dd if=/dev/zero of=/tmp/written bs=777 count=2 2>/dev/null
end
same 'a summary by caller' 'vfs_write ksys_write
ksys_fallocate __do_sys_fallocate' "$(awk 'NR > 1 { print $2, $3 }' $lines)"
rm -r "$folder"
test=module tables='running kernel'
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || echo 'fail the modules load'
try_all 0

# Some of its sites have their probe after a static key. All are named by where they are. On arm64 no
# site has: nearly all sites of mmap_read_lock take no probe there.
case $(uname -m) in
aarch64) func=vma_next ;;
*) func=mmap_read_lock ;;
esac
begin $func --summary site
/bin/sh -c :
cat /proc/self/maps >/dev/null
end
btf-extra lookup $func | awk '/^  / { print $3 }' >/tmp/places
same 'sites are where lookup says' '' "$(awk 'NR > 1 { print $3 }' $lines | sort -u | grep -vxFf /tmp/places)"
same 'sites are where lookup says: some are hit' yes "$([ "$(wc -l <$lines)" -gt 1 ] && echo yes)"
sed 's/^/# /' $told

# Over the loopback, with hundreds of probes.
ip link set lo up
begin skb_headlen --best-effort
ping -c 3 127.0.0.1 >/dev/null
end
same 'packets: all have a socket buffer, or it has no location' 0 \
    "$(grep -vc ' skb=\(0x[0-9a-f]*\|?\)$' $lines)"
btf-extra lookup skb_headlen | awk '/<not available>/ { print $3 }' >/tmp/without
same 'packets: where it has none' '' \
    "$(awk '/ skb=\?$/ { print $5 }' $lines | sort -u | grep -vxFf /tmp/without)"
same 'packets: some have' yes "$(grep -q ' skb=0xfff[0-9a-f]*$' $lines && echo yes)"
same 'packets: there are some' yes "$([ "$(grep -c ' ping-' $lines)" -gt 5 ] && echo yes)"
same 'packets: all calls are there' "$(sum '/ in all; /' '$1')" "$(wc -l <$lines)"
head -n 5 $lines | sed 's/^/# /'
tail -n 6 $told | sed 's/^/# /'
begin -v skb_headlen --require skb
end
same 'a required parameter: the other sites' "$(grep -c ' left out: .* has no location: skb$' $told)" \
    "$(sed -n 's/^btf-extra: skb_headlen: .* \([0-9]*\) without a location of skb.*/\1/p' $told)"
same 'a required parameter: what it says first' 1 \
    "$(grep -c '^btf-extra: skb_headlen: [0-9]* of [0-9]* sites; ' $told)"
begin skb_headlen --filter 'skb != NULL' --summary site
ping -c 3 127.0.0.1 >/dev/null
end
counted=$(awk 'NR > 1 { sum += $1 } END { print sum + 0 }' $lines)
passed=$(sed -n 's/.* \([0-9]*\) of [0-9]* calls pass the filter.*/\1/p' $told)
same 'packets: what the filter lets pass is counted' "${passed:-$counted}" "$counted"
same 'packets: some pass' yes "$([ "$counted" -gt 5 ] && echo yes)"
begin ksys_fallocate --tables /vmlinux.btf_extra
same 'the module is not used' 1 "$(grep -c 'without the module: perf kprobes are used' $told)"
allocate 777
end
same 'without it' 'fd=3 mode=0 offset=4096 len=777' "$(cut -d ' ' -f 5- $lines | sed 's/.* fd=/fd=/')"
rmmod btf_extra_vmlinux && rmmod btf_extra && echo 'pass the modules unload'
echo 'pass all there is to try was tried'
