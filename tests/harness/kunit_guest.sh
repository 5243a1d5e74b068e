#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest, beside btf_extra.ko: runs its suites and prints what debugfs says of each,
# for kunit_results.py. Exit 1 if the module cannot come or go, or has leaked memory.
cd "$(dirname "$0")" || exit 1

debug=/sys/kernel/debug
[ -d $debug/kunit ] || mount -t debugfs none $debug || exit 1
echo clear >$debug/kmemleak
# Allocations that a test makes fail: those that may sleep too, and without a trace of each.
echo N >$debug/failslab/ignore-gfp-wait || exit 1
echo 0 >$debug/failslab/verbose || exit 1
echo -1 >$debug/failslab/times || exit 1
# Pages that a slab asks for do not count: it takes fewer then, and in each run of a test another
# allocation needs some, so that one that must fail would be passed over.
[ ! -d $debug/fail_page_alloc ] || echo 8 >$debug/fail_page_alloc/min-order || exit 1

insmod btf_extra.ko || exit 1
for suite in "$debug"/kunit/btf_extra*; do
    sed "s/^/kunit ${suite##*/} /" "$suite/results"
done
# The messages that the rows of btf_extra_object expect: object, type id, byte and reason.
for line in \
    'kunit: refused: .BTF.func_info: type id 17, byte 164: ' \
    'kunit: refused: .BTF: type id 6, byte 80: ' \
    'kunit: refused: file: type id 0, byte 0: ' \
    'kunit: refused: made for build-id 7468652072756e6e696e67206b65726e656c2e00, running is 7468652072756e6e696e67206b65726e656c2e01'
do
    dmesg | grep -qF "btf_extra: $line" || { echo "not in the kernel's log: $line"; exit 1; }
done
rmmod btf_extra || exit 1

# Younger blocks than 5 s are not yet taken for leaked, and neither are those that have changed since the
# scan before: in their first one, all have.
sleep 6
echo scan >$debug/kmemleak
echo scan >$debug/kmemleak
leaks=$(cat $debug/kmemleak)
[ -z "$leaks" ] || { echo "$leaks"; exit 1; }
