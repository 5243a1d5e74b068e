#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The fuzzers of tests/fuzz, under libFuzzer with AddressSanitizer and UBSan:
#
#   fuzz.sh [NAME]        one of them, or all in turn, for ever; what it finds of interest is kept
#                         in build/fuzz/corpus/NAME, a failing input in build/fuzz/found.
#                         $RUNS: the number of inputs for each
#   fuzz.sh --check OUT   each for a fixed number of runs from a fixed seed, as a test of check.sh;
#                         they are built already
#
# Inputs to begin with: tests/corpus/NAME, and what x_test leaves for x_fuzz in build/fuzz/seeds.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

names() {
    local source
    for source in tests/fuzz/*_fuzz.c tests/fuzz/*_fuzz.cpp; do
        [ ! -e "$source" ] || basename "${source%.*}"
    done
}

# run NAME CORPUS OPTION...: libFuzzer adds to the first folder, and only reads the others.
run() {
    local name=$1 corpus=$2
    shift 2
    mkdir -p "$corpus" build/fuzz/found
    local folders=("$corpus") folder
    for folder in "tests/corpus/$name" "build/fuzz/seeds/$name"; do
        [ ! -d "$folder" ] || folders+=("$folder")
    done
    "build/fuzz/$name" -artifact_prefix="build/fuzz/found/$name-" -print_final_stats=1 "$@" \
        "${folders[@]}" </dev/null
}

if [ "${1:-}" = --check ]; then
    out=$2 results=$2/results/fuzz
    # shellcheck source=tests/harness/rows.sh
    . tests/harness/rows.sh
    check() {
        local log=$out/logs/$1.log
        if run "$1" "$out/scratch/$1" -runs=20000 -seed=1 -max_total_time=60 -timeout=20 \
            >"$log" 2>&1 && grep -q '^stat::number_of_executed_units: *[1-9]' "$log"; then
            passed "$1"
        else
            failed "$1"
            cat "$log"
        fi
        echo "  $1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs"
    }
    for name in $(names); do check "$name" & done
    wait
    exit 0
fi

userspace/packages.sh build check || exit 1
writers=()
for name in $(names); do
    for writer in tests/unit/*/"${name%_fuzz}_test.cpp"; do
        [ ! -e "$writer" ] || writers+=("build/asan/tests/$(basename "$writer" .cpp)")
    done
done
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory build-fuzz "${writers[@]}" ||
    exit 1
for writer in "${writers[@]}"; do
    name=$(basename "$writer" _test)_fuzz
    rm -rf "build/fuzz/seeds/$name" && mkdir -p "build/fuzz/seeds/$name"
    BTF_EXTRA_CORPUS=build/fuzz/seeds/$name "$writer" --gtest_filter='*Corpus*' --gtest_brief=1 ||
        exit 1
done
if [ -n "${1:-}" ]; then
    [ -x "build/fuzz/$1" ] || { echo "fuzz: no fuzzer $1; there are:"; names; exit 1; }
fi
asked=${1:-$(names)}
if [ -n "${RUNS:-}" ] || [ -n "${1:-}" ]; then
    for name in $asked; do
        run "$name" "build/fuzz/corpus/$name" -timeout=20 "-runs=${RUNS:--1}" || exit
    done
    exit
fi
while :; do
    for name in $asked; do
        run "$name" "build/fuzz/corpus/$name" -timeout=20 -max_total_time=600 || exit
    done
done
