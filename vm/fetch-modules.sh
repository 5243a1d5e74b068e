#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the folder with modules of a kernel in kernels.list, unstripped, with debug information,
# of the version that fetch-vmlinux.sh has:
#
#   fetch-modules.sh [NAME [MODULE...]]   by default 6.1-cloud-amd64 and the modules below
#   fetch-modules.sh NAME all             all that it has, in a folder of their own
#
# They lie under usr/lib/debug/lib/modules/ in it, as in Debian's package; beside them, under
# lib/modules/, stripped ones as they are installed. A module that the cache does not have costs
# a download of the whole package. Runs at the same time wait for each other; one that was cut off
# leaves nothing that another would take for whole.
set -euo pipefail

name=${1:-6.1-cloud-amd64}
shift || true
[ "$#" -gt 0 ] || set -- xfs kvm nf_conntrack nf_tables tcp_bbr sctp
[ "$*" != all ] && all='' || all=-all

say() { echo "fetch-modules: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

find_kernel "$name"
vmlinux=$("$vm/fetch-vmlinux.sh" "$name")
version=$(basename "$(dirname "$vmlinux")")
cache=$top_cache/modules/$name
tree=$cache/$version$all

# Prints a pattern for the modules of "$@" that the cache lacks. The file of a module may have '-' for
# '_'.
missing() {
    local module
    if [ -n "$all" ]; then
        [ -e "$tree/complete" ] || echo '*'
        return
    fi
    for module; do
        [ -n "$(find "$tree/lib" -name "${module//_/[-_]}.ko" -print -quit 2>/dev/null)" ] ||
            echo "$module"
    done
}

# add PACKAGE SHA256 FILE...: those modules of the package to the tree.
add() {
    local package=$1
    download_deb "$package" "$version" "$2" || return 1
    shift 2
    say "unpacking $*"
    mkdir tree
    dpkg-deb --fsys-tarfile "$deb" |
        tar --extract --directory tree --wildcards "${@/#/*/}" ||
        { say "$package: not all of these modules are in it"; return 1; }
    # Debian strips installed modules like this.
    (cd tree/usr/lib/debug && find lib -name '*.ko') | while read -r module; do
        mkdir -p "tree/$(dirname "$module")"
        objcopy --strip-debug "tree/usr/lib/debug/$module" "tree/$module" || exit 1
    done || return 1
    # Files by rename; the stripped ones, which missing() looks for, last.
    (cd tree && find usr lib -type f | sort --reverse) | while read -r file; do
        mkdir -p "$tree/$(dirname "$file")"
        mv "tree/$file" "$tree/$file" || exit 1
    done || return 1
    [ -z "$all" ] || touch "$tree/complete"
}

lock_cache
mapfile -t wanted < <(missing "$@")
if [ "${#wanted[@]}" -gt 0 ]; then
    { use_suite "$suite" &&
        read -r _ package sha256 < <(newest_package "$pattern" "$version"); } ||
        die "the package index has no debug package of $version"
    files=("${wanted[@]//_/[-_]}")
    in_partial add "$package" "$sha256" "${files[@]/%/.ko}" || die "no ${wanted[*]}"
fi
echo "$tree"
