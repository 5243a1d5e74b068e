#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make flamegraph`: the pictures of README.md. perf samples a guest of Debian's 6.1 in which a file goes
# through TCP; the same samples are drawn as perf has them, and with inlined functions. npm's flamegraph, a
# port of the perl script, draws them.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/flamegraph
files=$out/guest
draw=$out/npm/node_modules/.bin/flamegraph

command -v npm >/dev/null || { echo 'npm is needed: apt-get install npm' >&2; exit 1; }
mkdir -p "$out"
npm install --silent --no-audit --no-fund --prefix $out/npm flamegraph@1.3.0
rm -rf $files
vm/prepare.sh 6.1 $files >$out/prepare.log 2>&1 || { cat $out/prepare.log >&2; exit 1; }
tests/vm/tools/prepare.sh 6.1 $files

cat >$files/sample.sh <<'END'
tables=/lib/firmware/btf_extra/$(uname -r)
mkdir -p "$tables" && mv /vmlinux.btf_extra "$tables" || exit 1
insmod /btf_extra.ko && ifconfig lo 127.0.0.1 up || exit 1
cd /tmp || exit 1
perf() { /tools/ld.so --library-path /tools /tools/perf "$@"; }
sleep 600 | nc -l -p 7777 >/dev/null &
sleep 1
for _ in $(seq 6); do cat "$tables"/vmlinux.btf_extra; done |
    perf record -q -g --kernel-callchains -e cpu-clock:k -F 997 -o perf.data nc 127.0.0.1 7777 \
        >/dev/null || exit 1
kill $!
perf script -i perf.data -F comm,tid,time,event,ip,sym,dso 2>/dev/null >symbols
btf-extra symbolize --running <symbols | sed 's/ (inlined)/_[i] ([kernel.kallsyms])/' >inlined
for text in symbols inlined; do
    gzip -c $text | base64 | sed "s/^/@$text /"
done
END
vm/run.sh 6.1 --cpus 2 --turns --files $files -- sh /sample.sh >$out/said
for text in symbols inlined; do
    sed -n "s/^@$text //p" $out/said | base64 -d | gunzip >$out/$text.perf
    # The perl script gives a name with _[i] a colour of its own, the port does not. And "&&" of its
    # handlers is no XML.
    $draw -t perf --minwidth 6 -f $out/$text.perf |
        sed -E '/<script/,/<\/script/d; /<!DOCTYPE/d; /^$/d; s/ (on[a-z]+|data-[a-z]+|class)="[^"]*"//g' |
        awk '/<title>/ { inlined = sub(/_\[i\]/, "") }
            inlined && /<text/ { sub(/_\[i\]/, "") }
            inlined && /<rect/ { sub(/fill="rgb\([0-9, ]*\)"/, "fill=\"rgb(110, 190, 230)\"") }
            { print }
            NR == 1 { print spdx }' spdx="<!-- $(grep -m 1 -o 'SPDX-.*' "$0") -->" \
            >userspace/flamegraph-$text.svg
done
ls -l userspace/flamegraph-*.svg
