#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The tests that need virtual machines: tests/harness/vm_harness.sh, then all tests/vm/*.sh at once, as a step
# of check.sh:
#
#   run_vm_tests.sh OUT [NAME...]      only those of these names
#
# Each is called with the file of OUT/results that it adds its "pass NAME", "fail NAME" and
# "skip NAME: reason" lines to. One that reports nothing, or neither ends with 0 nor reports a
# failure, counts as failed. OUT/logs/vm_NAME.log has what it says.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

out=$(realpath -m "$1")
shift
mkdir -p "$out/results" "$out/logs"

# run_script NAME SCRIPT
run_script() {
    local name=$1 script=$2 status started=$SECONDS
    local results=$out/results/$name log=$out/logs/$name.log
    export BTF_EXTRA_SCRATCH=$out/scratch/$name TMPDIR=$out/scratch/$name
    rm -rf "$BTF_EXTRA_SCRATCH" && mkdir -p "$BTF_EXTRA_SCRATCH" && : >"$results"
    timeout 3600 "$script" "$results" >"$log" 2>&1 </dev/null
    status=$?
    if [ ! -s "$results" ]; then
        echo "fail $name: no report (exit code $status)" >>"$results"
    elif [ "$status" != 0 ] && ! grep -q '^fail ' "$results"; then
        echo "fail $name: exit code $status in spite of no failure" >>"$results"
    fi
    if grep -q '^fail ' "$results"; then cat "$log"; fi
    echo "  $name: $(grep -c '^pass ' "$results") passed, $(grep -c '^fail ' "$results") failed," \
        "$(grep -c '^skip ' "$results") skipped, $((SECONDS - started)) s"
}

for script in tests/harness/vm_harness.sh tests/vm/*.sh; do
    name=$(basename "$script" .sh)
    name=vm_${name#vm_}
    [ -e "$script" ] || continue
    [ $# = 0 ] || [[ " $* " = *" ${name#vm_} "* ]] || continue
    run_script "$name" "$script" &
    # The harness first, alone: it tells time-outs from what is merely slow.
    [ "$name" != vm_harness ] || wait
done
wait
