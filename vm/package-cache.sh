#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The scripts that fetch parts of Debian packages into the cache source this:
#
#   find_kernel NAME          sets name, pattern, suite and arch from kernels.list, or ends the script
#   give KIND FILE [VERSION]  prints $BTF_EXTRA_CACHE/KIND/<name>/<version> of that or the newest
#                             version, a folder with FILE in it, fetched where it is missing
#
# The script that sources this has say, and fill VERSION PACKAGE SHA256: in a new folder, which then
# becomes <version>, it takes what belongs there out of that package or those that go with it, and
# says what went wrong. Each step of fill says so by itself: "set -e" does not hold where a function
# is a condition.
#
# Always the newest version of the package index; where the index or the archive does not answer,
# the newest of the cache, and a line on stderr says so. Runs at the same time wait for each other;
# a run that was cut off leaves nothing that another would take for whole.

vm=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_cache=$(realpath -m "${BTF_EXTRA_CACHE:-$HOME/.cache/btf-extra}")

die() { say "$*"; exit 1; }

find_kernel() {
    read -r name pattern suite < <(awk -v name="$1" '
        $1 == name || index($1, name "-") == 1 { print $1, $2, $3; exit }' "$vm/kernels.list") ||
        die "$1: not in kernels.list"
    # shellcheck disable=SC2034  # for the script that sources this
    arch=amd64
    # shellcheck disable=SC2034
    [[ $suite != *:* ]] || arch=${suite#*:}
}

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

# use_suite SUITE [now]: has apt know the suite, with an index of at most a day, or with a new one.
use_suite() {
    unset APT_CONFIG
    if [ "$1" = any ]; then
        "$vm/../userspace/packages.sh" index "${@:2}"
    else
        APT_CONFIG=$("$vm/apt-suite.sh" "$@") && export APT_CONFIG
    fi
}

# "VERSION PACKAGE SHA256" of the newest package of that pattern, or of its version $2; nothing if
# the index has none.
newest_package() {
    local regex=${1//./\\.} packages
    mapfile -t packages < <(apt-cache search --names-only "^${regex//\*/.*}\$" | cut -d' ' -f1)
    [ "${#packages[@]}" -gt 0 ] || return 0
    # An installed package that the archive no longer has is listed without Filename and SHA256.
    apt-cache show "${packages[@]}" | awk -v wanted="${2:-}" '
        function paragraph() {
            if (sha256 && (!wanted || version == wanted)) print version, package, sha256
            package = version = sha256 = ""
        }
        $1 == "Package:" { package = $2 } $1 == "Version:" { version = $2 }
        $1 == "SHA256:" { sha256 = $2 }
        /^$/ { paragraph() } END { paragraph() }' | highest
}

# Into the current folder. apt compares the files with the SHA256 of its index.
download() {
    local quiet=2
    [ ! -t 2 ] || quiet=0
    # apt's own user cannot write to a home's cache, and warns of it.
    timeout 3600 apt-get -q=$quiet -o APT::Sandbox::User=root -o Acquire::Retries=3 \
        -o Acquire::http::Timeout=60 download "$@" >&2 </dev/null
}

# The packages that must go with these where nothing is installed, "NAME=VERSION".
packages_with() {
    apt-get -s install --no-install-recommends "$@" |
        sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p'
}

# Sets deb, in the current folder.
download_deb() {
    local package=$1 version=$2 sha256=$3
    say "downloading $package $version"
    download "$package=$version" || return 1
    deb=$(echo "$package"_*.deb)
    echo "$sha256  $deb" | sha256sum --check --status ||
        { say "$deb: not the file of the package index (SHA256)"; return 1; }
}

# in_partial COMMAND...: in a new folder, $cache/partial, of which nothing stays that is not moved
# away.
in_partial() (
    trap 'rm -rf "$cache/partial"' EXIT
    rm -rf "$cache/partial" && mkdir -p "$cache/partial" && cd "$cache/partial" && "$@"
)

lock_cache() {
    mkdir -p "$cache"
    exec {lock}>"$cache/lock"
    if ! flock --nonblock "$lock"; then
        say 'waiting for another run'
        flock "$lock"
    fi
}

# Sets version, package and sha256: of version $1 or, empty, the newest. An index is used for a day, for every
# kind, so that a kernel and its debug file are of one version.
resolve() {
    local wanted=$1 stamp=$top_cache/newest/$name
    if [ -z "$wanted" ] && [ "${2:-}" != now ] && [ -n "$(find "$stamp" -mtime -1 2>/dev/null)" ]; then
        read -r version package sha256 <"$stamp" && return
    fi
    use_suite "$suite" ${2:+"$2"} || return 1
    read -r version package sha256 < <(newest_package "$pattern" "$wanted") ||
        { say "the package index has no $pattern $wanted"; return 1; }
    if [ -z "$wanted" ]; then
        mkdir -p "${stamp%/*}"
        echo "$version $package $sha256" >"$stamp.$$" && mv "$stamp.$$" "$stamp"
    fi
}

fill_version() { fill "$@" && rm -rf "${cache:?}/$1" && mv "$cache/partial" "$cache/$1"; }

give() {
    local kind=$1 file=$2 wanted=${3:-} version='' package='' sha256='' now
    cache=$top_cache/$kind/$name
    lock_cache
    if [ -n "$wanted" ] && [ -e "$cache/$wanted/$file" ]; then
        echo "$cache/$wanted"
        return
    fi
    # The archive may have dropped what an index of some hours ago has: a second try with a new one.
    for now in '' now; do
        resolve "$wanted" "$now" || continue
        if [ -e "$cache/$version/$file" ] ||
            { use_suite "$suite" && in_partial fill_version "$version" "$package" "$sha256"; }; then
            echo "$cache/$version"
            return
        fi
        say 'the archive did not give it'
    done
    [ -z "$wanted" ] || die "$name: version $wanted is not available"
    version=$(for file in "$cache"/*/"$file"; do
        [ ! -e "$file" ] || basename "$(dirname "$file")"
    done | highest)
    version=${version% }
    [ -n "$version" ] || die "$name: nothing in the cache either"
    say "taking version $version from the cache"
    echo "$cache/$version"
}
