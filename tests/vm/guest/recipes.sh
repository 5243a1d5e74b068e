#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: each session of the document prints what the document says. There, "..." stands for
# any text in a line, and a line of it for any lines. Bookworm's bpftrace says kfunc for fentry and
# args-> for args., as the document tells.
# shellcheck source=tests/harness/rows.sh
. /rows.sh
# shellcheck source=tests/vm/guest/firmware.sh
. /firmware.sh

# The tools are where a shell finds them, each with the libraries of its suite.
mkdir -p /tmp/bin
for tool in bpftrace bpftool perf trace-cmd; do
    printf '#!/bin/sh\nexec /tools/ld.so --library-path /tools /tools/%s "$@"\n' $tool >/tmp/bin/$tool
    chmod +x /tmp/bin/$tool
done
PATH=/tmp/bin:$PATH
export PATH

# like WANTED SAID: 0 if one is like the other; else the first missing line.
like() {
    awk -v wanted="$1" '
        function pattern(text) {
            gsub(/[][\\.*+?(){}|^$]/, "\\\\&", text)
            gsub(/\\\.\\\.\\\./, ".*", text)
            return "^" text "$"
        }
        # The next line of the document that has a text; skip: lines may come before it.
        function advance() {
            skip = 0
            while ((more = (getline line < wanted)) > 0 && line == "...")
                skip = 1
        }
        BEGIN { advance() }
        more > 0 && $0 ~ pattern(line) { advance(); next }
        !skip { print "not in the document: " $0; bad = 1; exit 1 }
        END {
            if (!bad && more > 0) { print "missing: " line; exit 1 }
            exit bad
        }' "$2"
}

case $(bpftrace --version) in
'bpftrace v0.17.'*) older() { sed -i 's/fentry:/kfunc:/g; s/args\./args->/g' "$1"; } ;;
*) older() { :; } ;;
esac

load_with_firmware || exit 1
mkdir -p /lib/modules/"$(uname -r)"/updates && cp /inlined.ko /lib/modules/"$(uname -r)"/updates
ifconfig lo 127.0.0.1 up
cd /tmp || exit 1
for session in /recipes/*.sh; do
    base=${session%.sh}
    older "$session"
    older "$base.wanted"
    timeout 300 sh "$session" >/tmp/said 2>&1
    status=$?
    if [ $status != 0 ]; then
        echo "exit code $status" >/tmp/unlike
    else
        like "$base.wanted" /tmp/said >/tmp/unlike
    fi
    if [ ! -s /tmp/unlike ]; then
        echo "pass $(cat "$base.name")"
    else
        echo "fail $(cat "$base.name"): $(cat /tmp/unlike)"
        sed 's/^/# /' "$session" /tmp/said
    fi
done
rm -rf /lib/modules
same 'nothing is armed' '' "$(grep -l '^state armed' /sys/kernel/btf_extra/inlined/* 2>/dev/null)"
