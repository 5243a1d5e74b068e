#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the path of a qemu-system-x86_64 that runs guests of several processors, 8.1 or newer: the
# installed one, or that of this release's backports, fetched into the cache where it is not there
# yet. Nothing is installed; its libraries are those of the package of the release. Where the archive
# has none, it is the installed one all the same, and stderr says so.
#
#   fetch-qemu.sh
#
# QEMU before 8.1 reads code before it locks the page, and where another processor changes the code
# in between, keeps a translation that was outdated by then (fixed by "accel/tcg: Always lock pages
# before translation"). An int3 is then met that is gone, and a kernel since 6.3 panics with
# "Oops: int3": now and then while booting, as jump labels are set, and within a minute of attaching
# to 128 sites in code that two processors run. Perf kprobes at these places do the same.
set -euo pipefail

needed=8.1

say() { echo "fetch-qemu: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

version_of() { "$1" --version | sed -n 's/^QEMU emulator version \([0-9.]*\).*/\1/p'; }

fill() {
    local package
    say "downloading $2 $1"
    download "$2=$1" "qemu-system-data=$1" seabios || return 1
    for package in *.deb; do
        dpkg -x "$package" . && rm "$package" || return 1
    done
    cat >qemu-system-x86_64 <<'END'
#!/bin/sh
share=$(dirname "$0")/usr/share
exec "$(dirname "$0")/usr/bin/qemu-system-x86_64" -L "$share/seabios" -L "$share/qemu" "$@"
END
    chmod +x qemu-system-x86_64
    # Without its libraries it says which.
    [ -n "$(version_of ./qemu-system-x86_64)" ]
}

installed=$(type -P qemu-system-x86_64) || die 'no qemu-system-x86_64; run: userspace/packages.sh vm'
if dpkg --compare-versions "$(version_of "$installed")" ge $needed; then
    echo "$installed"
    exit
fi
# shellcheck disable=SC2034  # give reads them
name=qemu-system-x86 pattern=qemu-system-x86 \
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)-backports
if folder=$(give qemu qemu-system-x86_64); then
    echo "$folder/qemu-system-x86_64"
else
    say "guests of several processors may fail on $installed, which is older than $needed"
    echo "$installed"
fi
