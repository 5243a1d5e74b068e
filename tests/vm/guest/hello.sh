#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: what it gives to every suite.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

same 'the kernel is the one that was asked for' "$(cat /release)" "$(uname -r)"
insmod /hello.ko times=2
same 'a module takes its parameter' 2 "$(dmesg | grep -c 'hello, guest')"
row 'its BTF is there' test -s /sys/kernel/btf/hello
row 'it unloads' rmmod hello
if [ -e /bin/tac ]; then
    same 'a program of the host runs' 'second first' \
        "$(printf 'first\nsecond\n' | /bin/tac | xargs)"
else
    row 'a program of a package runs' bpftool version
fi
for folder in /proc /sys /dev /sys/kernel/debug /sys/kernel/tracing /sys/fs/bpf; do
    row "mounted: $folder" grep -q "^[^ ]* $folder " /proc/mounts
done
same 'processors' 2 "$(nproc)"
