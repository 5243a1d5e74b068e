#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# All objects of the command are linked with -flto: the linker then sees every definition of a
# type, and refuses two that have one name and differ.
#
#   odr.sh RESULTS
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
# Under make, its variables are not for this build.
row 'each type has one definition (g++ -flto -Wodr)' \
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory build/odr/all.o
