#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest: the kernel's selftests, without btf_extra and with it.
cd /selftests || exit 1
# shellcheck source=tests/harness/rows.sh
. /rows.sh

insmod bpf_testmod.ko || exit 1
selftests /tmp/without.log >/tmp/without || exit 1
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1
selftests /tmp/with.log >/tmp/with || exit 1
status=0
while read -r name wanted; do
    without=$(grep "^$name " /tmp/without)
    with=$(grep "^$name " /tmp/with)
    if [ "$without" = "$name $wanted" ] && [ "$with" = "$name $wanted" ]; then
        passed "$name: $wanted, as before the patches, without btf_extra and with it"
    else
        echo "wanted $name $wanted; without: $without; with: $with"
        failed "$name"
        status=1
    fi
done <unpatched.txt
[ $status = 0 ] || grep -v PASS /tmp/without.log /tmp/with.log
exit $status
