#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the unlisted sites of a function at which a kernel for arm64 before 6.15 refuses a kprobe,
# by what objdump prints: a load-exclusive is among the 32 instructions before the site in its symbol,
# and no store-exclusive is after it (aarch64_insn_is_load_ex(), is_probed_address_atomic()). That
# kernel takes compare-and-swap, load-acquire and store-release for such instructions, too. One a
# line: the distance from _text in hex digits. On another architecture there are none.
#
#   exclusive_sites.sh VMLINUX TABLES FUNCTION      $CROSS_COMPILE: of objdump and nm
set -euo pipefail
cd "$(dirname "$0")/../../.."

vmlinux=$1 tables=$2 function=$3
readelf -h "$vmlinux" | grep -q 'Machine: *AArch64' || exit 0
text=0x$("${CROSS_COMPILE:-}nm" "$vmlinux" | sed -n 's/ T _text$//p')
build/release/btf-extra lookup "$function" --tables "$tables" --vmlinux "$vmlinux" |
    sed -n 's/^  \(0x[0-9a-f]*\) inline [^ ]*+\(0x[0-9a-f]*\) (unlisted).*/\1 \2/p' |
    while read -r site offset; do
        before=$((offset < 128 ? offset : 128))
        [ $before != 0 ] || continue
        last=$("${CROSS_COMPILE:-}objdump" -d --no-show-raw-insn --start-address=$((site - before)) \
            --stop-address=$((site)) "$vmlinux" |
            awk '$2 ~ /^(lda?x[rp]|ldl?ar|casp?al?)[bh]?$/ { last = "load" }
                $2 ~ /^(stl?x[rp]|stll?r|casp?l?)[bh]?$/ { last = "store" }
                END { print last }')
        [ "$last" != load ] || printf '%x\n' $((site - text))
    done
