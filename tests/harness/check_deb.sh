#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make check-deb`: the packages of each suite, built in a clean chroot as Debian does, twice, in different
# folders; and those of arm64, cross built. As root. The last line counts.
#
#   check_deb.sh SUITE[:ARCHITECTURE]...
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh

out=$PWD/build/check-deb
begin_results "$out"
userspace/packages.sh check deb || exit 1

# built FOLDER SUITE: what the build says is in a log.
built() { timeout 7200 userspace/deb.sh "$out/$1" "$2" >"$out/logs/$1" 2>&1 || { tail -n 40 "$out/logs/$1"; false; }; }

for suite; do
    name=${suite/:/-} began=$SECONDS
    results=$out/results/$name
    export test="deb $suite"
    row 'the packages are built' built "$name" "$suite" || continue
    echo "  $suite: built in $((SECONDS - began)) s"
    # A build for another architecture differs from this one only in its compiler.
    if [[ $suite != *:* ]] && row 'and built again' built "$name-again" "$suite"; then
        row 'both have the same bytes' diff -r -x '*.buildinfo' -x '*.changes' "$out/$name" "$out/$name-again"
    fi
    architecture=${suite#*:}
    [ "$architecture" != "$suite" ] || architecture=$(dpkg --print-architecture)
    TMPDIR=$out/scratch tests/harness/deb_rows.sh "$results" "$out/$name" "${suite%:*}" "$architecture"
done
end_results "$out"
