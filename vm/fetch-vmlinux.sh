#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the path of the debug vmlinux of a kernel in kernels.list, after fetching it into the
# cache ($BTF_EXTRA_CACHE, by default ~/.cache/btf-extra) where it is not there yet:
#
#   fetch-vmlinux.sh [NAME]     NAME: first column of kernels.list, by default 6.1-cloud-amd64
#
# Always the newest version of the package index; where the index or the archive does not answer,
# the newest of the cache, and a line on stderr says so. Runs at the same time wait for each other;
# a run that was cut off leaves nothing that another would take for whole.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
name=${1:-6.1-cloud-amd64}
cache=${BTF_EXTRA_CACHE:-~/.cache/btf-extra}/vmlinux/$name

say() { echo "fetch-vmlinux: $*" >&2; }
die() { say "$*"; exit 1; }

read -r pattern suite < <(awk -v name="$name" '$1 == name { print $2, $3 }' "$here/kernels.list") ||
    die "$name: not in kernels.list"

# Reads "VERSION REST" lines, prints the one of the highest version, by Debian's order.
highest() {
    local version rest best='' best_rest=''
    while read -r version rest; do
        if [ -z "$best" ] || dpkg --compare-versions "$version" gt "$best"; then
            best=$version best_rest=$rest
        fi
    done
    [ -z "$best" ] || echo "$best $best_rest"
}

# "VERSION PACKAGE SHA256" of the newest package that the index has; nothing if it has none.
resolve() {
    local regex=${pattern//./\\.}
    local packages
    mapfile -t packages < <(apt-cache search --names-only "^${regex//\*/.*}\$" | cut -d' ' -f1)
    [ "${#packages[@]}" -gt 0 ] || return 0
    # An installed package that the archive no longer has is listed without Filename and SHA256.
    apt-cache show "${packages[@]}" | awk '
        $1 == "Package:" { package = $2 } $1 == "Version:" { version = $2 }
        $1 == "SHA256:" { sha256 = $2 }
        /^$/ { if (sha256) print version, package, sha256; package = version = sha256 = "" }
        END { if (sha256) print version, package, sha256 }' | in_suite | highest
}

# Keeps the lines whose version is one of the suite's.
in_suite() {
    local version package rest
    while read -r version package rest; do
        if [ "$suite" = any ] ||
            apt-cache madison "$package" | grep -F " $version " | grep -q " $suite/"; then
            echo "$version $package $rest"
        fi
    done
}

# Downloads, checks, unpacks. Each step says by itself what is wrong: "set -e" does not hold where
# a function is a condition.
fetch() (
    version=$1 package=$2 sha256=$3
    partial=$cache/partial
    trap 'rm -rf "$partial"' EXIT
    rm -rf "$partial" && mkdir -p "$partial" && cd "$partial" || exit 1

    say "downloading $package $version"
    if [ -t 2 ]; then quiet=0; else quiet=2; fi
    # apt's own user cannot write to a home's cache, and warns of it.
    timeout 3600 apt-get -q=$quiet -o APT::Sandbox::User=root -o Acquire::Retries=3 \
        -o Acquire::http::Timeout=60 download "$package=$version" >&2 </dev/null || exit 1
    deb=(*.deb)
    echo "$sha256  ${deb[0]}" | sha256sum --check --status ||
        { say "${deb[0]}: not the file of the package index (SHA256)"; exit 1; }

    say 'unpacking vmlinux'
    # In newer packages it lies under lib/modules/, and a link in boot/, which gives no bytes.
    dpkg-deb --fsys-tarfile "${deb[0]}" |
        tar --extract --to-stdout --wildcards './usr/lib/debug/*/vmlinux*' >vmlinux ||
        { say "$package: no vmlinux could be taken out of it"; exit 1; }
    [ "$(head -c 4 vmlinux | tail -c 3)" = ELF ] ||
        { say "$package: its vmlinux is not an ELF file"; exit 1; }
    mkdir -p "$cache/$version" && mv vmlinux "$cache/$version/vmlinux"
)

# Sets version, package and sha256; empty: the index has none.
newest() {
    version='' package='' sha256=''
    "$here/../userspace/packages.sh" index "$@" || return 1
    read -r version package sha256 < <(resolve) || true
}

have() { [ -e "$cache/$version/vmlinux" ] || fetch "$version" "$package" "$sha256"; }

mkdir -p "$cache"
exec {lock}>"$cache/lock"
if ! flock --nonblock "$lock"; then
    say 'waiting for another run'
    flock "$lock"
fi

newest || true
if [ -n "$version" ]; then
    # The archive may have dropped what an index of some hours ago has: a second try with a new one.
    if have || { newest now && [ -n "$version" ] && have; }; then
        echo "$cache/$version/vmlinux"
        exit 0
    fi
    say 'the archive did not give it'
else
    say "the package index has no $pattern"
fi

cached=$(for file in "$cache"/*/vmlinux; do
    [ ! -e "$file" ] || basename "$(dirname "$file")"
done | highest)
[ -n "$cached" ] || die "$name: nothing in the cache either"
cached=${cached% }
say "taking version $cached from the cache"
echo "$cache/$cached/vmlinux"
