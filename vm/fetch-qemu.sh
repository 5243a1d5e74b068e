#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the path of an emulator that runs guests of several processors, 8.1 or newer, and for arm64 9.2 or
# newer: the installed one, or that of this release's backports, fetched into the cache if it is missing.
# Nothing is installed; its libraries are those of the package of the release, qemu-system-x86. Where the
# archive has none, it is the installed one all the same, and stderr says so.
#
#   fetch-qemu.sh [amd64|arm64]
#
# QEMU before 8.1 reads code before it locks the page, and where another processor changes the code
# in between, keeps a translation that was outdated by then (fixed by "accel/tcg: Always lock pages
# before translation"). An int3 is then met that is gone, and a kernel since 6.3 panics with
# "Oops: int3": now and then while booting, as jump labels are set, and within a minute of attaching
# to 128 sites in code that two processors run. Perf kprobes at these places do the same.
# The board "virt" of arm64 has a second serial port since 9.2.
set -euo pipefail

case ${1:-amd64} in
amd64) package=qemu-system-x86 program=qemu-system-x86_64 needed=8.1 ;;
arm64) package=qemu-system-arm program=qemu-system-aarch64 needed=9.2 ;;
*) echo "usage: ${0##*/} [amd64|arm64]" >&2; exit 2 ;;
esac

say() { echo "fetch-qemu: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

version_of() { "$1" --version | sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p'; }

fill() {
    local deb
    say "downloading $2 $1"
    download "$2=$1" "qemu-system-data=$1" seabios || return 1
    for deb in *.deb; do
        dpkg -x "$deb" . && rm "$deb" || return 1
    done
    cat >"$program" <<END
#!/bin/sh
share=\$(dirname "\$0")/usr/share
exec "\$(dirname "\$0")/usr/bin/$program" -L "\$share/seabios" -L "\$share/qemu" "\$@"
END
    chmod +x "$program"
    # If it lacks libraries, it says which.
    [ -n "$(version_of "./$program")" ]
}

installed=$(type -P "$program") || installed=''
if [ -n "$installed" ] && dpkg --compare-versions "$(version_of "$installed")" ge $needed; then
    echo "$installed"
    exit
fi
# shellcheck disable=SC2034  # give reads them
name=$package pattern=$package suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)-backports
if folder=$(give qemu "$program"); then
    echo "$folder/$program"
else
    [ -n "$installed" ] || die "no $program; run: userspace/packages.sh vm"
    say "guests of several processors may fail on $installed, which is older than $needed"
    echo "$installed"
fi
