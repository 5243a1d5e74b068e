#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make demo`: from nothing to the inlined calls of a real kernel.
set -euo pipefail
cd "$(dirname "$0")/.."

command=build/release/btf-extra
file=build/demo/vmlinux.btf_extra

# run LINES COMMAND...: shows the command, the first lines of what it prints, and its time.
run() {
    local lines=$1 start=$EPOCHREALTIME took
    shift
    printf '\n$ %s\n' "${*//"$vmlinux"/vmlinux}"
    "$@" | awk -v n="$lines" 'NR <= n { print } END { if (NR > n) print "... " NR - n " more lines" }'
    took=$(((${EPOCHREALTIME//[!0-9]/} - ${start//[!0-9]/}) / 10000))
    printf '(%d.%02d s)\n' $((took / 100)) $((took % 100))
}

userspace/packages.sh build
echo 'Building'
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory userspace
echo 'Fetching a kernel with debug info (some 280 MB, the first time)'
vmlinux=$(vm/fetch-vmlinux.sh)
mkdir -p "$(dirname "$file")"

run 100 "$command" generate -j "$(nproc)" -o "$file" "$vmlinux"
stat --format='%11s bytes  %n' "$vmlinux" "$file"
run 100 "$command" stat "$file"

echo
echo 'Where has the compiler inlined skb_headlen(), and where is its argument there?'
run 12 "$command" lookup "$file" --vmlinux "$vmlinux" --name skb_headlen

address=$("$command" lookup "$file" --vmlinux "$vmlinux" --name skb_headlen --json |
    python3 -c '
import json, sys
sites = json.load(sys.stdin)["sites"]
inlined = [site for site in sites if site["class"] == "inline"]
located = [site for site in inlined if all(param["loc"] for param in site["params"])]
print((located or inlined or sites)[0]["address"])')
echo
echo 'And what stands at one of these addresses?'
run 100 "$command" lookup "$file" --vmlinux "$vmlinux" --addr "$address"
