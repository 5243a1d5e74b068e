#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# All objects of the command are linked with -flto: the linker then sees every definition of a
# type, and refuses two that have one name and differ.
#
#   odr.sh RESULTS
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

verdict=pass
# Under make, its variables are not for this build.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory build/odr/program || verdict=fail
echo "$verdict each type has one definition (g++ -flto -Wodr)" >"$1"
