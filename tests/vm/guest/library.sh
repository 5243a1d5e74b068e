#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: the library with only the kernel's file, and then with the module too.
# shellcheck source=tests/harness/rows.sh
. /rows.sh

folder=/lib/firmware/btf_extra/$(uname -r)
mkdir -p "$folder" && cp /vmlinux.btf_extra "$folder" || exit 1
for way in perf module; do
    [ $way = perf ] || { insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko; } || exit 1
    library_guest /library.bpf.o $way >/tmp/said
    status=$?
    sed "s/^\(pass\|fail\) /\1 $way: /" /tmp/said
    same "$way: library_guest comes to its end" 0 $status
done
