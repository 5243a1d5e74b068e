#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make demo` shows all steps up to the inlined calls of a real kernel, on disk and live; with
# ARCH=arm64 those of an arm64 kernel.
set -euo pipefail
cd "$(dirname "$0")/.."

command=build/release/btf-extra
file=build/demo/vmlinux.btf_extra

# run LINES COMMAND... shows the command, the first lines of its output, and its time.
run() {
    local lines=$1 start=$EPOCHREALTIME took
    shift
    printf '\n$ %s\n' "${*//"$vmlinux"/vmlinux}"
    "$@" | awk -v n="$lines" 'NR <= n { print } END { if (NR > n) print "... " NR - n " more lines" }'
    took=$(((${EPOCHREALTIME//[!0-9]/} - ${start//[!0-9]/}) / 10000))
    printf '(%d.%02d s)\n' $((took / 100)) $((took % 100))
}

kernel=6.1 more=() guest_command=()
[ "${ARCH:-}" != arm64 ] || kernel=6.12-arm64 more=(arm64) guest_command=(build/arm64/btf-extra)
userspace/packages.sh build kernel vm "${more[@]}"
echo 'Building'
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$command" "${guest_command[@]}"
echo 'Fetching a kernel with debug info (some 280 MB, the first time)'
vmlinux=$(vm/fetch-vmlinux.sh $kernel)
mkdir -p "$(dirname "$file")"

run 100 "$command" generate -j "$(nproc)" -o "$file" "$vmlinux"
stat --format='%11s bytes  %n' "$vmlinux" "$file"
run 100 "$command" stat "$file"

echo
echo 'Where has the compiler inlined skb_headlen(), and where is its argument there?'
run 12 "$command" lookup skb_headlen --tables "$file" --vmlinux "$vmlinux"

address=$("$command" lookup skb_headlen --tables "$file" --vmlinux "$vmlinux" --json |
    python3 -c '
import json, sys
sites = json.load(sys.stdin)["sites"]
inlined = [site for site in sites if site["class"] == "inline"]
located = [site for site in inlined if all(param["loc"] for param in site["params"])]
print((located or inlined or sites)[0]["address"])')
echo
echo 'And what stands at one of these addresses?'
run 100 "$command" lookup --addr "$address" --tables "$file" --vmlinux "$vmlinux"

echo
echo 'And live: that kernel in a virtual machine, a ping in it, and every call with its argument'
vm/prepare.sh $kernel build/demo/guest >build/demo/prepare.log 2>&1 ||
    { cat build/demo/prepare.log >&2; exit 1; }
cat >build/demo/guest/live.sh <<'END'
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1
ip link set lo up
echo '# btf-extra list skb_headlen'
btf-extra list skb_headlen
echo '# btf-extra trace skb_headlen --count 12 & ping 127.0.0.1'
btf-extra trace skb_headlen --count 12 2>/tmp/told &
for _ in $(seq 300); do
    grep -q ' sites' /tmp/told && break
    sleep 0.1
done
ping -c 4 127.0.0.1 >/dev/null
wait $!
status=$?
grep -v '^ *0x' /tmp/told
exit $status
END
start=$SECONDS
vm/run.sh $kernel --cpus 2 --files build/demo/guest -- sh /live.sh 2>&1
echo "($((SECONDS - start)) s, boot included)"
