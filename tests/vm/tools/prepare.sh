#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The folder tools of the guest, if it is missing: Debian's tracing tools, those of bookworm for its kernel,
# those of trixie for newer ones.
#
#   prepare.sh KERNEL FILES
set -euo pipefail
cd "$(dirname "$0")/../../.."

[ ! -e "$2/tools" ] || exit 0
case $1 in
6.1) suite=bookworm ;;
*-arm64) suite=trixie:arm64 ;;
*) suite=trixie ;;
esac
cp -r "$(vm/fetch-tools.sh $suite)" "$2/tools"
