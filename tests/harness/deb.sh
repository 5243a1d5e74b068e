#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The Debian packages, made of what `make install` leaves, so that nothing is compiled; `make check-deb`
# makes them as Debian does.
#
#   deb.sh RESULTS     adds "pass NAME" and "fail NAME" lines to that file
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1 test=deb
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
scratch=$(mktemp -d "${TMPDIR:-/tmp}/deb.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT

export BTF_EXTRA_INSTALLED=$scratch/installed DEB_BUILD_OPTIONS=noautodbgsym
row 'what is installed' env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory install \
    DESTDIR="$BTF_EXTRA_INSTALLED" PREFIX=/usr LIBDIR="/usr/lib/$(gcc -print-multiarch)" || exit 1
row 'the packages are built' userspace/deb.sh "$scratch/once" || exit 1
another_time() { (umask 077 && userspace/deb.sh "$scratch/another/time"); }
row 'and built in another folder' another_time

row 'both have the same bytes' diff -r -x '*.buildinfo' -x '*.changes' "$scratch/once" "$scratch/another/time"

# Debian's flags are missing, since nothing was compiled with them.
LINTIAN='--suppress-tags hardening-no-fortify-functions,hardening-no-bindnow' test=$test \
    tests/harness/deb_rows.sh "$results" "$scratch/once" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)"
