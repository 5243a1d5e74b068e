#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest of a bare Debian, which is on the disk: packages come from an archive of that Debian,
# debug information from a debuginfod, and all goes again. A line "step NAME SECONDS" says how long a
# step took by the guest's clock.
#
#   newcomer.sh DEBUGINFOD PACKAGE...     its URL; our packages, and those that they need
# shellcheck source=tests/harness/rows.sh
. /rows.sh
# shellcheck source=tests/vm/guest/network.sh
. /network.sh

release=$(uname -r)
debian=/debian
tables=/lib/firmware/btf_extra/$release
debuginfod=$1
shift

in_debian() {
    chroot $debian /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}
seconds() { cut -d' ' -f1 /proc/uptime; }
# step NAME COMMAND...: a row; what the command says is in /tmp/said.
step() {
    name=$1
    shift
    began=$(seconds)
    "$@" >/tmp/said 2>&1 </dev/null
    status=$?
    echo "step $name: $(echo "$(seconds) $began" | awk '{ printf "%.1f", $1 - $2 }')"
    [ $status = 0 ] || tail -n 40 /tmp/said
    same "$name" 0 $status
}
# Takes out the line of apt's that names the archive.
ours() {
    find $debian/lib/firmware $debian/lib/modules $debian/etc $debian/usr $debian/var/lib/dkms \
        -name '*btf*extra*' ! -path '*/apt/*' 2>/dev/null
}

mkdir -p $debian /lib
mount -t ext4 /dev/nvme0n1 $debian || exit 1
# The kernel reads firmware here.
ln -s $debian/lib/firmware /lib/firmware
for folder in proc sys dev sys/kernel/debug sys/kernel/tracing; do mount --bind /$folder $debian/$folder; done
mkdir -p /dev/pts && mount -t devpts devpts $debian/dev/pts
row 'the network' begin_network in_debian modprobe || exit 1

nothing 'no compiler at first' \
    "$(find $debian/usr/bin -name '*gcc*' -o -name '*clang*' -o -name cc)"
nothing 'no debug information' "$(ls -d $debian/usr/lib/debug/boot $debian/usr/lib/debug/lib/modules 2>/dev/null)"
nothing 'no file of btf-extra' "$(ours)"

first=$(seconds)
step 'apt-get install' in_debian apt-get -q -y --no-install-recommends install "$@"
step 'btf-extra install, from debuginfod' in_debian DEBUGINFOD_URLS="$debuginfod" btf-extra install
# The kernel and all modules that are loaded, but ours.
same 'it has tables of all that runs' \
    "$tables: $(($(grep -vc '^btf_extra ' /proc/modules) + 1)) objects, N MB" \
    "$(sed -n 's/[0-9.]* MB/N MB/; /objects, /p' /tmp/said)"
in_debian btf-extra doctor >/tmp/said 2>&1
same 'doctor: trace is by the module' 'tracing inlined calls works, with btf_extra.ko' \
    "$(sed -n '/^tracing/ s/  */ /gp' /tmp/said)"

# The driver of the network card has that function of a header, too.
trace() {
    in_debian btf-extra trace --count 5 skb_headlen >/tmp/lines 2>/tmp/told &
    until grep -q ' sites\?\(;\|$\)' /tmp/told 2>/dev/null || [ ! -e /proc/$! ]; do sleep 0.1; done
    ping -c 3 127.0.0.1 >/dev/null
    wait $!
    traced=$?
    cat /tmp/told
    return $traced
}
step 'btf-extra trace skb_headlen' trace
echo "step from apt-get install to the first traced calls: $(echo "$(seconds) $first" | awk '{ printf "%.1f", $1 - $2 }')"
same 'it prints inlined calls' 5 "$(grep -c ' skb_headlen .* inlined skb=' /tmp/lines)"
head -n 1 /tmp/lines
step 'btf-extra install, again' in_debian DEBUGINFOD_URLS="$debuginfod" btf-extra install
row 'it has nothing to do' grep -q 'all installed already: nothing to do$' /tmp/said

step 'apt-get purge' in_debian apt-get -q -y purge btf-extra btf-extra-dkms
nothing 'nothing stays' "$(ours; grep '^btf_extra' /proc/modules)"
umount $debian/dev/pts
for folder in sys/kernel/tracing sys/kernel/debug dev sys proc; do umount $debian/$folder; done
sync
umount $debian || mount -o remount,ro $debian
