#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Attaching through /dev/btf_extra when something is wrong, at its limits, and under load
# (tests/vm/attach), on each kernel, the lean one under KASAN and lockdep.
#
#   attach.sh RESULTS [KERNEL...]
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
default_kernels lean 6.1 6.12 7.x
read -ra parts <<<"${ATTACH_PARTS:-}" # all

build_programs() {
    build_bpf attach foreign &&
        g++ -std=c++20 -O1 -Wall -Wextra -Werror -pthread -I. -Iinclude/uapi \
            -o "$scratch/attach_guest" tests/vm/attach/*.cpp -lbpf
}

cat >"$scratch/start" <<'END'
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && insmod /shapes.ko || exit 1
attach_guest "$@"
status=$?
rmmod shapes || exit 1
# Programs that were just closed may hold it for a moment.
for _ in 1 2 3 4 5; do rmmod btf_extra_vmlinux btf_extra 2>/dev/null && exit $status; sleep 1; done
echo 'fail btf_extra is still in use'
exit 1
END

# on_kernel NAME: in a subshell.
on_kernel() {
    local name=$1 files=$scratch/$1 modules
    { tests/vm/shapes/prepare.sh "$name" "$files" &&
        modules=$(vm/build-modules.sh "$name" tests/vm/attach/foreign) &&
        cp "$modules/tests/vm/attach/foreign/foreign.ko" "$scratch"/{start,attach.bpf.o,foreign.bpf.o} \
            "$files" && vm/add-program.sh "$files" "$scratch/attach_guest"; } >"$files.log" 2>&1 ||
        { cat "$files.log"; fail "$name: what it needs could not be built"; }
    tests/harness/guest_rows.sh "$results" "vm attach: $name" "$name" --cpus 2 --files "$files" -- \
        sh /start "${parts[@]}"
}

build_programs || fail 'build of the programs'
on_kernels 2
