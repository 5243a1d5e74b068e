#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Builds the Debian packages of this checkout:
#
#   deb.sh OUT                        with the compilers and libraries that are installed here
#   deb.sh OUT SUITE[:ARCHITECTURE]   in a clean chroot of that suite, as root, for this or another
#                                     architecture: deb.sh build/deb/arm64 trixie:arm64
#
# OUT gets the packages and, for this machine's architecture, the source package. The same sources
# and compilers give the same bytes, in any folder and at any time.
#
#   BTF_EXTRA_INSTALLED   see userspace/debian/rules
#   DEB_BUILD_OPTIONS     as Debian has it: parallel=1, noautodbgsym
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
die() { echo "deb: $*" >&2; exit 1; }

case $# in 1 | 2) ;; *) die 'usage: deb.sh OUT [SUITE[:ARCHITECTURE]]' ;; esac
mkdir -p "$1"
out=$(cd "$1" && pwd)
suite=${2:-}
architecture=''
[[ $suite != *:* ]] || architecture=${suite#*:}
version=$(sed -n 's/^#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' "$top/kernel/core/version.h")
major=${version%.*}
libraries=$("$top/userspace/packages.sh" libraries)
# Debian's own packages name the format of debian/copyright.
format=$(sed -n 's/^Format: //p' /usr/share/doc/dpkg-dev/copyright)
[ -n "$format" ] || die '/usr/share/doc/dpkg-dev/copyright: it has no Format:'
work=$(mktemp -d "$out/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$work/btf-extra-$version

# The files that are tracked, or could be; all but build/ where there is no git.
list_files() (
    cd "$top"
    git -c safe.directory="$top" ls-files --cached --others --exclude-standard 2>/dev/null ||
        find . -name .git -prune -o -path ./build -prune -o -type f -print
)

# licence NAME TEXT: a paragraph of debian/copyright, with a text of LICENSES/.
licence() {
    printf '\nLicense: %s\n' "$1"
    sed 's/^\s*//; s/^$/./; s/^/ /' "$top/LICENSES/$2.txt"
}

stage_sources() {
    local file
    mkdir "$source"
    list_files | while read -r file; do
        [ ! -e "$top/$file" ] || (cd "$top" && cp --parents --target-directory "$source" "$file")
    done
    mv "$source/userspace/debian" "$source/debian"
}

# Not all of these formats have comments, and the SPDX line of copyright is the file itself.
fill_in() {
    local file
    for file in "$source"/debian/*; do
        if [ ! -f "$file" ] || [ "$(head -c 2 "$file")" = '#!' ]; then continue; fi
        sed -i -e '/^#/d' -e "s/@LIBRARIES@/${libraries// /, }/; s/@VERSION@/$version/; s/@MAJOR@/$major/g" \
            -e "s|@FORMAT@|$format|" \
            "$file"
    done
    for file in "$source"/debian/libbtf-extra.*; do
        mv "$file" "${file/libbtf-extra./libbtf-extra$major.}"
    done
    {
        licence BSD-2-Clause BSD-2-Clause
        licence GPL-2.0-with-Linux-syscall-note Linux-syscall-note
    } >>"$source/debian/copyright"
    mkdir "$source/debian/source"
    echo '3.0 (native)' >"$source/debian/source/format"
}

# Each release of Debian has packages of its own, of which an upgrade takes the later one's: 1.0+deb12,
# 1.0+deb13. Modes and times are the same wherever it is built.
finish() {
    local release
    # shellcheck source=/dev/null
    release=$(. "$1/etc/os-release" && [ "$ID" = debian ] && echo "${VERSION_ID:-}") || true
    [ -z "$release" ] || sed -i "1s/($version)/($version+deb$release)/" "$source/debian/changelog"
    chmod -R u=rwX,go=rX "$source"
    find "$source" -exec touch -h -d "$(dpkg-parsechangelog -l "$source/debian/changelog" -S Date)" {} +
}

# Under make, its variables are not for this build.
build=(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL dpkg-buildpackage --unsigned-source --unsigned-changes)
[ -z "$architecture" ] || build+=(--host-arch "$architecture" --build=any)

build_here() {
    finish ''
    # debhelper gives a build a home of its own, in which ccache would find nothing.
    (cd "$source" && BTF_EXTRA_CACHE=${BTF_EXTRA_CACHE:-$HOME/.cache/btf-extra} "${build[@]}")
}

# Nothing but the chroot can be reached from there, no network either.
build_in_chroot() {
    local root=$work/root chroot
    chroot=$("$top/vm/fetch-chroot.sh" "$suite" --build "$source/debian/control")
    mkdir "$root"
    tar -C "$root" -xf "$chroot/root.tar"
    finish "$root"
    mkdir -p "$root$work"
    mv "$source" "$root$work/"
    unshare --mount --pid --fork --net --mount-proc="$root/proc" \
        chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent LC_ALL=C.UTF-8 \
        DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" \
        env --chdir="$source" "${build[@]}"
    find "$root$work" -maxdepth 1 -type f -exec mv -t "$work" {} +
}

stage_sources
fill_in
if [ -n "$suite" ]; then build_in_chroot; else build_here; fi
rm -f "$out"/*.{deb,dsc,tar.xz,buildinfo,changes}
find "$work" -maxdepth 1 -type f -exec mv -t "$out" {} +
