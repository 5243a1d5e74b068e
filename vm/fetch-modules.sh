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

here=$(cd "$(dirname "$0")" && pwd)
name=${1:-6.1-cloud-amd64}
shift || true
[ "$#" -gt 0 ] || set -- xfs kvm nf_conntrack nf_tables tcp_bbr sctp
[ "$*" != all ] && all='' || all=-all

say() { echo "fetch-modules: $*" >&2; }
die() { say "$*"; exit 1; }

vmlinux=$("$here/fetch-vmlinux.sh" "$name")
version=$(basename "$(dirname "$vmlinux")")
cache=${BTF_EXTRA_CACHE:-~/.cache/btf-extra}/modules/$name
tree=$cache/$version$all

# Those of "$@" that the cache lacks, for all of them a pattern. The file of a module may have
# '-' for '_'.
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

# "PACKAGE SHA256" of the debug package of that version.
resolve() {
    local pattern packages
    pattern=$(awk -v name="$name" '$1 == name { print $2 }' "$here/kernels.list")
    pattern=${pattern//./\\.}
    mapfile -t packages < <(apt-cache search --names-only "^${pattern//\*/.*}\$" | cut -d' ' -f1)
    [ "${#packages[@]}" -gt 0 ] || return 0
    { apt-cache show "${packages[@]}" && echo; } | awk -v version="$version" '
        $1 == "Package:" { package = $2 } $1 == "Version:" { this = $2 }
        $1 == "SHA256:" { sha256 = $2 }
        /^$/ { if (this == version && sha256 && !done++) print package, sha256
               package = this = sha256 = "" }'
}

fetch() (
    package=$1 sha256=$2
    shift 2
    partial=$cache/partial
    trap 'rm -rf "$partial"' EXIT
    rm -rf "$partial" && mkdir -p "$partial/tree" && cd "$partial" || exit 1
    say "downloading $package $version"
    timeout 3600 apt-get -q=2 -o APT::Sandbox::User=root -o Acquire::Retries=3 \
        -o Acquire::http::Timeout=60 download "$package=$version" >&2 </dev/null || exit 1
    deb=(*.deb)
    echo "$sha256  ${deb[0]}" | sha256sum --check --status ||
        { say "${deb[0]}: not the file of the package index (SHA256)"; exit 1; }
    say "unpacking $*"
    dpkg-deb --fsys-tarfile "${deb[0]}" |
        tar --extract --directory tree --wildcards "${@/#/*/}" ||
        { say "$package: not all of these modules are in it"; exit 1; }
    # What Debian installs is stripped like this.
    (cd tree/usr/lib/debug && find lib -name '*.ko') | while read -r module; do
        mkdir -p "tree/$(dirname "$module")"
        objcopy --strip-debug "tree/usr/lib/debug/$module" "tree/$module" || exit 1
    done || exit 1
    # Files by rename; the stripped ones, which missing() looks for, last.
    (cd tree && find usr lib -type f | sort --reverse) | while read -r file; do
        mkdir -p "$tree/$(dirname "$file")"
        mv "tree/$file" "$tree/$file" || exit 1
    done || exit 1
    [ -z "$all" ] || touch "$tree/complete"
)

mkdir -p "$cache"
exec {lock}>"$cache/lock"
if ! flock --nonblock "$lock"; then
    say 'waiting for another run'
    flock "$lock"
fi

mapfile -t wanted < <(missing "$@")
if [ "${#wanted[@]}" -gt 0 ]; then
    read -r package sha256 < <(resolve) || die "the package index has no debug package of $version"
    files=("${wanted[@]//_/[-_]}")
    fetch "$package" "$sha256" "${files[@]/%/.ko}" || die "no ${wanted[*]}"
fi
echo "$tree"
