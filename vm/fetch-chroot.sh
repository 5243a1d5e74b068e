#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints a folder with root.tar, a minimal Debian of a suite, and some packages in it:
#
#   fetch-chroot.sh SUITE[:ARCHITECTURE] PACKAGE...
#   fetch-chroot.sh SUITE[:ARCHITECTURE] --build CONTROL    what this debian/control has to be built
#   fetch-chroot.sh SUITE:ARCHITECTURE --foreign PACKAGE... its programs are of that architecture
#
# The chroot runs here; with an architecture it builds packages for that one. A foreign one runs where
# the kernel knows an emulator for its programs (binfmt_misc). It is as new as its C library. Needs mmdebstrap, and root or user namespaces.
set -euo pipefail

[ $# -ge 2 ] || { echo 'usage: fetch-chroot.sh SUITE[:ARCHITECTURE] --build CONTROL | [--foreign] PACKAGE...' >&2; exit 2; }
release=${1%:*} target=${1#*:}
[ "$target" != "$1" ] || target=''
shift
wanted=$*
hooks=()
suite=$release architectures=$(dpkg --print-architecture)${target:+,$target}
if [ "$1" = --foreign ]; then
    shift
    suite=$release:$target architectures=$target
elif [ "$1" = --build ]; then
    control=$(realpath -e "$2")
    wanted=$(sed -n '/^Build-/,/^[^ B]/{/^[ B]/p}' "$control")
    # apt 2.6 takes only the compilers for this machine.
    set -- ${target:+"crossbuild-essential-$target"}
    wanted+=${*:+ $*}
fi

say() { echo "fetch-chroot: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

# apt runs outside of the chroot, and dpkg in it.
build_dependencies() {
    mkdir -p source/debian && cp "$control" source/debian/control || return 1
    # shellcheck disable=SC2016  # mmdebstrap's own variables
    hooks=(--customize-hook='APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -q -y \
        -o Dir::Bin::dpkg=env -o DPkg::Options::=--unset=TMPDIR -o DPkg::Options::=dpkg \
        -o DPkg::Chroot-Directory="$1" --no-install-recommends build-dep \
        --host-architecture '"${target:-$(dpkg --print-architecture)} $PWD/source")
}

fill() {
    local sources log
    sources=$(dirname "$APT_CONFIG")/sources.list
    say "a chroot of $release"
    [ -z "${control:-}" ] || build_dependencies || return 1
    log=$(env -u APT_CONFIG mmdebstrap --variant=apt --format=tar \
        --architectures="$architectures" ${included:+--include="$included"} \
        "${hooks[@]}" "$release" root.tar - <"$sources" 2>&1) || { printf '%s\n' "$log" >&2; return 1; }
    rm -rf source
}

# shellcheck disable=SC2034  # give and fill read them
included=$* name=$release${target:+-$target}-$(cksum <<<"$wanted" | cut -d' ' -f1) pattern=libc6
give chroot root.tar
