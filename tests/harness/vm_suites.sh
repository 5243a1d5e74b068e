#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Runs suites of tests/vm on one kernel, one after the other in one guest:
#
#   vm_suites.sh OUT KERNEL SUITE...      rows in OUT/results/vm_KERNEL, "pass vm SUITE: KERNEL: NAME"
#
# tests/vm/SUITE.sh is sourced, and its function prepare called, at the top of the sources, with
#   kernel    the name in vm/kernels.list
#   files     the guest's /: the modules, vmlinux.btf_extra and btf-extra are there already, and
#             guest/*.sh. Files that prepare adds have names that no other suite has
#   modules   the folder of vm/build-modules.sh, with the modules of all folders of tests/vm
#   built     the folder of make with the guest's programs: build/release, or build/arm64
#   scratch   a folder for what is not for the guest
#   arch      of the guest, by Debian's name; if it is not this machine's, CROSS_COMPILE is set, too
# and rows.sh for rows of its own. A suite whose prepare fails has failed; the others run. A suite that
# came to its end may have a function conclude, too: its argument is a file with what the guest said in
# it, of which it makes rows. A suite with a function boot has a guest of its own: the function prints
# options of vm/run.sh for it, one a line.
#
# A guest that ends within a suite, by a panic or since the suite hangs, is a failure of that suite;
# the others run in a new guest. $PARTS: arguments for tests/vm/guest/SUITE.sh, to run some of it.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

out=$1 kernel=$2 results=$1/results/vm_$2
shift 2
scratch=$out/scratch/vm_$kernel
files=$scratch/files
limit=${LIMIT:-1200}
rm -rf "$scratch"
mkdir -p "$files" build/kernel
: >"$results"
export TMPDIR=$scratch
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh

# shellcheck disable=SC2034  # prepare reads them
arch=amd64 built=build/release
if [[ $kernel = *-arm64 ]]; then
    # shellcheck disable=SC2034
    arch=arm64 built=build/arm64
    export CROSS_COMPILE=aarch64-linux-gnu-
fi

# Modules for the kernel that is built with btf_extra are built by their suite, with that kernel's
# tools.
test_modules=(tests/vm/hello)
[[ $kernel = intree* ]] ||
    test_modules+=(tests/vm/{sample,core,api,shapes,frames,attach/foreign,phantoms/modules})

prepare_all() {
    # shellcheck disable=SC2034  # prepare reads it
    modules=$(vm/prepare.sh "$kernel" "$files" "${test_modules[@]}") &&
        cp tests/vm/guest/*.sh tests/harness/rows.sh "$files" &&
        cp tests/harness/guest_suites.sh "$files/suites.sh"
}

# Takes the output of a guest and the status of run.sh. Makes rows of it, and finds the suites that
# must still run.
take() {
    local said=$1 status=$2 last ended why suite
    awk -v kernel="$kernel" '
        /^=== begins / { suite = $3 }
        /^=== ended / {
            word = $4 == 0 ? "pass" : "fail"
            print word " vm " suite ": " kernel ": comes to its end" ($4 == 0 ? "" : ", exit code " $4)
        }
        match($0, /^(pass|fail|skip) /) {
            print substr($0, 1, RLENGTH) "vm " suite ": " kernel ": " substr($0, RLENGTH + 1)
        }' "$said" >>"$results"
    last=$(sed -n 's/^=== begins //p' "$said" | tail -n 1)
    ended=" $(sed -n 's/^=== ended \([^ ]*\) .*/\1/p' "$said" | xargs) "
    why="exit code $status: $(sed -n 's/^run: //p' "$said" | tail -n 1)"
    test="vm guest: $kernel"
    if [ -z "$last" ]; then
        failed "no suite began, $why"
        return
    elif [[ $ended != *" $last "* ]]; then
        test="vm $last: $kernel" failed "the guest ended in it, $why"
    elif [ "$status" != 0 ]; then
        failed "it and its kernel's log, $why"
    else
        passed "it and its kernel's log"
    fi
    for suite in "${suites[@]}"; do
        [ "$suite" = "$last" ] || [[ $ended = *" $suite "* ]] || echo "$suite"
    done
}

conclude_suites() {
    local said=$1 suite
    sed -n 's/^=== ended \([^ ]*\) .*/\1/p' "$said" | while read -r suite; do
        test="vm $suite: $kernel"
        sed -n "/^=== begins $suite\$/,/^=== ended $suite /p" "$said" >"$scratch/said_in_suite"
        # shellcheck source=/dev/null
        (. "tests/vm/$suite.sh" && if declare -F conclude >/dev/null; then
            conclude "$scratch/said_in_suite" </dev/null
        fi)
    done
}

test="vm $kernel"
# intree_tree.sh builds in the folder of that kernel.
exec {in_use}>"build/kernel/$kernel.lock" && flock "$in_use"
prepare_all || { failed 'what all suites need could not be built'; exit 1; }
suites=()
for suite; do
    test="vm $suite: $kernel"
    # shellcheck source=/dev/null
    if (. "tests/vm/$suite.sh" && prepare); then
        suites+=("$suite")
    else
        failed 'what it needs could not be built'
    fi
done
exec {in_use}>&-
# With QEMU 10.0.2 a processor that translates code while another one changes it may keep what stood there,
# for good: it goes on to run an int3 that is gone. Linux 6.1 then loops in the handler for ever (seen at the
# head of remove_wait_queue, when a tracer of functions was switched off); 6.12 and later ones call it a bug
# (seen on 7.3.4 at a kprobe, on 6.12.117 at the head of a function). The kernel's list has it for QEMU 8.0 (5
# July 2023, "still see int3"). On aarch64 it was not seen: kprobes are written there while all processors
# stand. KCSAN sees a race only where two processors run at once.
turns=(--turns)
case $kernel in *-arm64 | *-kcsan) turns=() ;; esac
# Runs $suites in as many guests as it takes: run_suites OPTION...
run_suites() {
    local status
    while [ "${#suites[@]}" -gt 0 ]; do
        vm/run.sh "$kernel" "${turns[@]}" "$@" --cpus 2 --memory 1792 --timeout "${LIMIT:-3600}" --files "$files" -- \
            env "PARTS=${PARTS:-}" sh /suites.sh "$limit" "${suites[@]}" 2>&1 | tee "$scratch/said"
        status=${PIPESTATUS[0]}
        conclude_suites "$scratch/said"
        mapfile -t suites < <(take "$scratch/said" "$status")
    done
}

# shellcheck source=/dev/null
own_options() { (. "tests/vm/$1.sh" && if declare -F boot >/dev/null; then boot; fi); }

prepared=("${suites[@]}") suites=()
for suite in "${prepared[@]}"; do
    [ -n "$(own_options "$suite")" ] || suites+=("$suite")
done
run_suites
for suite in "${prepared[@]}"; do
    mapfile -t options < <(own_options "$suite")
    [ "${#options[@]}" = 0 ] || { suites=("$suite") && run_suites "${options[@]}"; }
done
rm -rf "$scratch"
