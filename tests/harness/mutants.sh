#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make mutants`: mutants_test with other files than `make check` has:
#
#   mutants.sh COUNT      of each kind; the two kinds run side by side
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

export BTF_EXTRA_SOURCE=$PWD BTF_EXTRA_BUILD=$PWD/build/asan BTF_EXTRA_MUTANTS=$1
BTF_EXTRA_SEED=$(date +%s)
export BTF_EXTRA_SEED
echo "$1 of each kind, from seed $BTF_EXTRA_SEED"
kinds=()
for kind in OfTables OfDebugInformation; do
    build/asan/tests/mutants_test --gtest_filter="Mutants.$kind" --gtest_brief=1 &
    kinds+=($!)
done
failed=0
for kind in "${kinds[@]}"; do wait "$kind" || failed=1; done
exit $failed
