#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# In the guest, beside btf_extra.ko: runs its suites and prints what debugfs says of each,
# for kunit_results.py. Exit 1 if the module cannot come or go, or has left memory behind.
cd "$(dirname "$0")" || exit 1

debug=/sys/kernel/debug
[ -d $debug/kunit ] || mount -t debugfs none $debug || exit 1
echo clear >$debug/kmemleak
# Allocations that a test makes fail: those that may sleep too, and without a trace of each.
echo N >$debug/failslab/ignore-gfp-wait || exit 1
echo 0 >$debug/failslab/verbose || exit 1
echo -1 >$debug/failslab/times || exit 1

insmod btf_extra.ko || exit 1
for suite in "$debug"/kunit/btf_extra*; do
    sed "s/^/kunit ${suite##*/} /" "$suite/results"
done
rmmod btf_extra || exit 1

# Younger blocks than 5 s are not yet taken for leaked.
sleep 6
echo scan >$debug/kmemleak
leaks=$(cat $debug/kmemleak)
[ -z "$leaks" ] || { echo "$leaks"; exit 1; }
