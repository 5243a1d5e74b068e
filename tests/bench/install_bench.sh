#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Measures the way from a bare Debian to the first traced call, step by step:
#
#   install_bench.sh SUITE...      as in: install_bench.sh bookworm trixie; as root
#
#   $PACKAGES   a folder with SUITE/*.deb that userspace/deb.sh made, as `make check-deb` leaves them in
#               build/check-deb; by default they are built
#   $PARTS      newcomer: the guest; chroot: the rest; by default both
#
# A chroot of the suite gets its cloud kernel. A guest with that on its disk is a newcomer's machine: it gets
# the packages from an archive of their own, and debug information from Debian's debuginfod, which runs here;
# then all is removed again. The guest prints rows.
#
# The chroot itself, too, gets the packages, and the package with debug information. A second kernel is
# installed only with apt-get. Each kernel boots in a virtual machine, with the chroot's files except
# compilers and debug information, and traces.
#
# The chroot runs on this machine's processor, guests are emulated. Seconds are those of the clock and of
# the processor; downloads are not among them. The exit code is 1 if something was not as it should be.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/servers.sh
. tests/harness/servers.sh

out=$PWD/build/bench-install
rm -rf "$out"
mkdir -p "$out"
trap 'end_servers; rm -rf "$out"/*/{root,files,disk,debug,servers}' EXIT
missed=0 spent=0 parts=${PARTS:-newcomer chroot}
wrong() { echo "  wrong: $*"; missed=1; }

in_root() {
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
apt_get() { in_root apt-get -q -y --no-install-recommends "$@" </dev/null; }

# step NAME COMMAND...: the command's time; what it says is in $said and in the log.
step() {
    local name=$1 status TIMEFORMAT='%R %U %S'
    shift
    said=$({ time "$@" >"$out/said" 2>&1; } 2>"$out/time"; echo $?)
    status=$said said=$(cat "$out/said")
    printf '== %s\n%s\n' "$name" "$said" >>"$log"
    awk -v name="$name" '{ printf "  %-58s %7.1f s %7.1f s of CPU\n", name, $1, $2 + $3 }' "$out/time"
    spent=$(awk -v before="$spent" '{ print before + $2 + $3 }' "$out/time")
    [ "$status" = 0 ] || { printf '%s\n' "$said" | tail -n 20; wrong "exit code $status"; }
}

# with_packages NAME PACKAGE...: they are fetched before the clock runs.
with_packages() {
    local name=$1
    shift
    apt_get install --download-only "$@" >>"$log" 2>&1 || wrong "no $*"
    step "$name" apt_get install "$@"
}

# serve_debug_info RELEASE: by Debian's debuginfod, what its package has of the kernel and of the modules
# that the guest's network card wants.
serve_debug_info() {
    local debug=$out/$suite/debug file
    mkdir -p "$debug"
    dpkg-deb --fsys-tarfile "$root/var/cache/apt/archives/linux-image-$1-dbg"_*.deb |
        tar -C "$debug" --wildcards -xf - '*/vmlinux*' '*/drivers/virtio/*' '*/drivers/net/*failover*' \
            '*/drivers/net/virtio_net*' '*/net/core/failover*' 2>/dev/null
    begin_servers "$out/$suite/servers" "$suite" && begin_debuginfod "$debug" || return 1
    while read -r file; do
        await_build "$(readelf -n "$file" 2>/dev/null | sed -n 's/.*Build ID: //p')" debuginfo || return 1
    done < <(find "$debug" -type f)
}

# newcomer RELEASE PACKAGE...: the guest whose disk is there installs, traces and removes.
newcomer() {
    local files=$out/$suite/files
    rm -rf "$files"
    mkdir -p "$files"
    cp tests/harness/rows.sh tests/vm/guest/{network,newcomer}.sh "$files"
    serve_debug_info "$1" >>"$log" 2>&1 || { wrong "no debuginfod: $log"; return 1; }
    step "newcomer's machine: boot $1, install, trace, remove" vm/run.sh 6.1 \
        --kernel "$root/boot/vmlinuz-$1" --turns --cpus 2 --memory 3072 --timeout 3000 --network \
        --disk "$out/$suite/disk" --files "$files" -- sh /newcomer.sh "$debuginfod" "${@:2}"
    end_servers
    sed -n 's/^step \(.*\): \([0-9.]*\)$/    in the emulated guest: \1 after \2 s/p' <<<"$said"
    printf '    rows: %s passed, %s failed\n' "$(grep -c '^pass ' <<<"$said")" "$(grep -c '^fail ' <<<"$said")"
    sed -n 's/^fail /    failed: /p' <<<"$said"
    if grep -q '^fail ' <<<"$said" || ! grep -q '^pass nothing stays$' <<<"$said"; then
        wrong "the newcomer's machine: $log"
    fi
    rm -f "$out/$suite/disk"
}

# tables RELEASE: "yes" if they exist.
tables() { if [ -s "$root/lib/firmware/btf_extra/$1/vmlinux.btf_extra" ]; then echo yes; else echo no; fi; }

# boot RELEASE: the kernel traces inlined calls.
boot() {
    local files=$out/$suite/files lines
    rm -rf "$files"
    mkdir -p "$files/debian"
    tar -C "$root" --exclude=./usr/lib/debug --exclude=./usr/src --exclude=./usr/share --exclude=./var \
        --exclude=./boot --exclude=./usr/libexec --exclude='./usr/lib/gcc*' --exclude='./usr/lib/llvm*' \
        --exclude='./usr/lib/modules/*/kernel' --exclude='./usr/lib/linux-*' --exclude='./tmp/*' -cf - . |
        tar -C "$files/debian" -xf -
    cat >"$files/guest.sh" <<'GUEST'
d=/debian
mkdir -p /lib
# The kernel reads firmware here.
ln -s $d/lib/firmware /lib/firmware
for folder in proc sys dev; do mount --bind /$folder $d/$folder; done
mount --bind /sys/kernel/debug $d/sys/kernel/debug
mount --bind /sys/kernel/tracing $d/sys/kernel/tracing
ifconfig lo up
seconds() { cut -d' ' -f1 /proc/uptime; }
began=$(seconds)
chroot $d btf-extra install
echo "installed $began $(seconds)"
chroot $d btf-extra doctor | tail -n 1
began=$(seconds)
chroot $d btf-extra trace --count 5 skb_headlen >/lines 2>/told &
tracer=$!
until grep -q ' sites\?\(;\|$\)' /told || [ ! -e /proc/$tracer ]; do sleep 0.1; done
ping -c 3 127.0.0.1 >/dev/null
wait $tracer
cat /told /lines
echo "traced $began $(seconds)"
GUEST
    step "boot $1, trace" vm/run.sh 6.1 --kernel "$root/boot/vmlinuz-$1" --cpus 2 --memory 3072 \
        --timeout 3000 --files "$files" -- sh /guest.sh
    awk '$1 == "installed" || $1 == "traced" {
        printf "    in the emulated guest: %s after %.1f s\n", $1, $3 - $2 }' <<<"$said"
    lines=$(grep -c 'skb_headlen .* inlined skb=' <<<"$said")
    grep -m 1 'skb_headlen .* inlined skb=' <<<"$said" | sed 's/^/  /'
    [ "$lines" -gt 0 ] || wrong "no inlined call was traced: $log"
    grep -q '^tracing inlined calls.*by btf_extra.ko' <<<"$said" || wrong "not by the module: $log"
}

# Each step is timed. At the end nothing may stay but what Debian's own packages and logs leave.
try() {
    local packages releases first second each library
    echo "$suite"
    root=$out/$suite/root log=$out/$suite/log
    mkdir -p "$root"
    packages=${PACKAGES:+$(realpath "$PACKAGES")/$suite}
    if [ -z "$packages" ]; then
        packages=$out/$suite/packages
        step 'our packages are built' userspace/deb.sh "$packages" "$suite"
    fi
    tar -C "$root" -xf "$(vm/fetch-chroot.sh "$suite" kmod)/root.tar" || return 1
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mkdir -p "$root/srv/packages"
    cp "$packages"/*.deb "$root/srv/packages"
    (cd "$root/srv/packages" && dpkg-scanpackages -m . >Packages 2>/dev/null)
    echo 'deb [trusted=yes] file:/srv/packages ./' >"$root/etc/apt/sources.list.d/btf-extra.list"
    apt_get update >>"$log" 2>&1 || { wrong 'no index'; return 1; }
    mapfile -t releases < <(in_root apt-cache search --names-only '^linux-image-[0-9]+[.][0-9]+[.][0-9].*-cloud-amd64-dbg$' |
        sed 's/^linux-image-\(.*\)-dbg .*/\1/' | sort -V)
    first=${releases[0]} second=${releases[-1]}

    with_packages "a bare Debian gets its kernel, $first" "linux-image-$first"
    library=$(in_root apt-cache search --names-only '^libdebuginfod1(t64)?$' | cut -d' ' -f1)
    apt_get install --download-only btf-extra btf-extra-dkms "linux-headers-$first" "$library" >>"$log" 2>&1
    if [[ " $parts " = *' newcomer '* ]]; then
        mkfs.ext4 -q -d "$root" "$out/$suite/disk" 6G >>"$log" 2>&1 || wrong "no disk: $log"
    fi
    apt_get install --download-only "linux-image-$first-dbg" >>"$log" 2>&1
    [[ " $parts " != *' newcomer '* ]] ||
        newcomer "$first" btf-extra btf-extra-dkms "linux-headers-$first" "$library"
    [[ " $parts " = *' chroot '* ]] || { rm -rf "$root"; return 0; }

    spent=0
    with_packages 'apt-get install btf-extra btf-extra-dkms, headers' btf-extra btf-extra-dkms \
        "linux-headers-$first"
    [ -n "$(find "$root/lib/modules/$first/updates" -name 'btf_extra.ko*')" ] || wrong 'DKMS built nothing'
    step 'btf-extra install --yes' in_root btf-extra install --yes "$first"
    tail -n 1 <<<"$said" | sed 's/^/    /'
    printf '    from apt-get install to tables: %.1f s of CPU; the bar is 60 s\n' "$spent"
    awk -v spent="$spent" 'BEGIN { exit spent > 60 }' || wrong 'it takes more than 60 s of CPU'
    boot "$first"

    # The package with debug information takes 1.8 GB.
    apt_get purge "linux-image-$first-dbg" >>"$log" 2>&1
    with_packages "a second kernel, $second" "linux-image-$second" "linux-headers-$second" \
        "linux-image-$second-dbg"
    grep '^btf-extra:' <<<"$said" | sed 's/^/    /'
    [ "$(tables "$second")" = yes ] || wrong 'the second kernel has no tables'
    boot "$second"

    step 'the first kernel is removed' apt_get purge "linux-image-$first"
    [ "$(tables "$first") $(tables "$second")" = 'no yes' ] || wrong 'the tables of the wrong kernel went'
    step 'our packages are removed' apt_get purge btf-extra btf-extra-dkms
    each=$(find "$root/lib/firmware" "$root/lib/modules" "$root/etc" "$root/usr" "$root/var/lib/dkms" \
        -name '*btf*extra*' -not -path '*/apt/*' 2>/dev/null)
    [ -z "$each" ] || wrong "this stays: $each"
    rm -rf "$root"
}

for suite; do try || missed=1; done
exit $missed
