#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The tests that need virtual machines, as a step of check.sh: the harness itself (vm_harness.sh), and
# the suites of tests/vm/suites.list, one guest for each kernel, several kernels at a time.
#
#   run_vm_tests.sh OUT [WORD...]      WORD: a suite, "harness", or a kernel: only these, on these
#
# OUT/results/vm_KERNEL has the rows, OUT/logs/vm_KERNEL.log what the guest said. $LIMIT: seconds for a
# kernel's guest and for each of its suites, if they may take long. By default the guest has an hour;
# before that its kernel may have to be built, and other guests to end.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh

out=$(realpath -m "$1")
shift
mkdir -p "$out"/{results,logs,scratch}

suites='' kernels=''
for word; do
    if [ "$word" = harness ] || [ -e "tests/vm/$word.sh" ]; then suites+=" $word"; else kernels+=" $word"; fi
done
is_asked() { [ -z "$1" ] || [[ "$1 " = *" $2 "* ]]; }

# job NAME COMMAND...: the command adds rows to OUT/results/NAME. One that reports nothing has failed.
job() {
    local name=$1 status began=$SECONDS results=$out/results/$1 log=$out/logs/$1.log
    shift
    : >"$results"
    timeout "${LIMIT:-5100}" "$@" >"$log" 2>&1 </dev/null
    status=$?
    if [ ! -s "$results" ] || { [ "$status" != 0 ] && ! grep -q '^fail ' "$results"; }; then
        echo "fail $name: exit code $status" >>"$results"
    fi
    ! grep -q '^fail ' "$results" || cat "$log"
    sed -n 's/^=== ended \([^ ]*\) .* /    \1, seconds: /p' "$log"
    echo "  $name: $(summary "$results"), $((SECONDS - began)) s"
}

declare -A suites_of=()
order=()
while read -r suite on; do
    if [ "$suite" = '#' ] || ! is_asked "$suites" "$suite"; then continue; fi
    [ -n "$suites" ] && [ -n "$kernels" ] || on=${on%%asked*}
    for kernel in ${on/asked/}; do
        is_asked "$kernels" "$kernel" || continue
        [ -n "${suites_of[$kernel]:-}" ] || order+=("$kernel")
        suites_of[$kernel]+=" $suite"
    done
done <tests/vm/suites.list
for script in tests/vm/*.sh; do
    grep -q "^$(basename "$script" .sh) " tests/vm/suites.list ||
        { echo "run_vm_tests: $script is not in tests/vm/suites.list"; exit 1; }
done
[ -n "${order[*]}" ] || [[ $suites = *' harness' ]] || { echo "run_vm_tests: nothing is $*"; exit 1; }

built=(build-guest)
[[ "${order[*]}" != *-arm64* ]] || built+=(build-guest-arm64)
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "${built[@]}" || exit 1
if is_asked "$suites$kernels" harness; then
    mkdir -p "$out/scratch/vm_harness"
    job vm_harness env TMPDIR="$out/scratch/vm_harness" tests/harness/vm_harness.sh \
        "$out/results/vm_harness" &
fi
# There are as many jobs as vm/run.sh lets run. The first ones take longest: if the kernel of one is still
# being built, its place waits for it, or it would come last and run without others.
jobs=()
for kernel in "${order[@]}"; do
    if [ "${#jobs[@]}" -gt "$(nproc)" ]; then
        wait -n -p ended "${jobs[@]}"
        for i in "${!jobs[@]}"; do [ "${jobs[i]}" != "$ended" ] || unset "jobs[i]"; done
    fi
    # shellcheck disable=SC2086  # a list of words
    job "vm_$kernel" tests/harness/vm_suites.sh "$out" "$kernel" ${suites_of[$kernel]} &
    jobs+=($!)
done
wait
