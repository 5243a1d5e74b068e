#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the folder of the lean kernel: Debian's newest 7.x source, tinyconfig and lean.config, with
# KUnit, KASAN and lockdep. Built where the cache ($BTF_EXTRA_CACHE, by default ~/.cache/btf-extra)
# does not have it yet, in 7 to 12 minutes on two processors. In the folder are
#
#   vmlinuz   what boots
#   vmlinux   the same with debug info and BTF
#   release   what `uname -r` says there
#   headers/  KDIR: make -C headers M=... modules, with this machine's gcc; also scripts/checkpatch.pl
#             and tools/testing/kunit of that kernel
#
# Kernels that no one asked for since a day are removed before the next is built. Runs at the same time wait for each other; a run that was cut off leaves
# nothing that another would take for whole. Where the archive does not answer, the newest source of
# the cache serves, and a line on stderr says so.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
suite=trixie-backports
pattern='^linux-source-7\.[0-9]+$'
cache=$(realpath -m "${BTF_EXTRA_CACHE:-$HOME/.cache/btf-extra}/lean")
sources=$cache/source

say() { echo "build-lean: $*" >&2; }
die() { say "$*"; exit 1; }

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

# Sets version, package and sha256 by the suite's index; empty: it has none.
newest() {
    local packages
    version='' package='' sha256=''
    APT_CONFIG=$("$here/apt-suite.sh" "$suite" "$@") || return 1
    export APT_CONFIG
    mapfile -t packages < <(apt-cache search --names-only "$pattern" | cut -d' ' -f1)
    [ "${#packages[@]}" -gt 0 ] || return 1
    read -r version package sha256 < <(apt-cache show "${packages[@]}" | awk '
        $1 == "Package:" { package = $2 } $1 == "Version:" { version = $2 }
        $1 == "SHA256:" { print version, package, $2 }' | highest) || return 1
}

# Each step says by itself what is wrong: "set -e" does not hold where a function is a condition.
fetch() (
    partial=$sources/partial
    trap 'rm -rf "$partial"' EXIT
    rm -rf "$partial" && mkdir -p "$partial" && cd "$partial" || exit 1
    say "downloading $package $version"
    timeout 3600 apt-get -q=2 -o Acquire::Retries=3 -o Acquire::http::Timeout=60 \
        download "$package=$version" >&2 </dev/null || exit 1
    deb=(*.deb)
    echo "$sha256  ${deb[0]}" | sha256sum --check --status ||
        { say "${deb[0]}: not the file of the package index (SHA256)"; exit 1; }
    dpkg-deb --fsys-tarfile "${deb[0]}" |
        tar --extract --to-stdout "./usr/src/$package.tar.xz" >linux.tar.xz ||
        { say "$package: no source in it"; exit 1; }
    mkdir -p "$sources/$version" && mv linux.tar.xz "$sources/$version/linux.tar.xz"
)

have() { [ -e "$sources/$version/linux.tar.xz" ] || fetch; }

find_source() {
    if newest; then
        # The archive may have dropped what an index of some hours ago has.
        if have || { newest now && have; }; then return; fi
        say 'the archive did not give it'
    else
        say "no kernel source in the index of $suite"
    fi
    version=$(for file in "$sources"/*/linux.tar.xz; do
        [ ! -e "$file" ] || basename "$(dirname "$file")"
    done | highest)
    version=${version% }
    [ -n "$version" ] || die 'nothing in the cache either'
    say "taking version $version from the cache"
}

# Options of lean.config that the kernel's own configuration would not take, however they are
# written there: each is a fault in lean.config.
not_taken() {
    local line
    while read -r line; do
        case $line in
        CONFIG_*=n) ! grep -q "^${line%n}[ym]" .config || echo "$line" ;;
        CONFIG_*) grep -qxF -e "$line" .config || echo "$line" ;;
        esac
    done <"$here/lean.config"
}

configure() {
    local refused
    make -s tinyconfig && scripts/kconfig/merge_config.sh -m .config "$here/lean.config" &&
        make -s olddefconfig || return 1
    refused=$(not_taken)
    [ -z "$refused" ] || { printf 'lean.config: not taken: %s\n' "${refused//$'\n'/, }"; return 1; }
}

# Keeps what boots, what modules are built with, and what judges them.
prune() {
    find . -mindepth 1 -maxdepth 1 \( -name arch -o -name tools -o -name include -o -name scripts \
        -o -name Makefile -o -name Kbuild -o -name Kconfig -o -name .config -o -name Module.symvers \
        -o -name System.map -o -name vmlinux \) -o -prune -exec rm -rf {} + &&
        find arch -mindepth 1 -maxdepth 1 ! -name x86 -exec rm -rf {} + &&
        find arch/x86 -mindepth 1 -maxdepth 1 ! -name include ! -name 'Makefile*' ! -name 'K*' \
            -exec rm -rf {} + &&
        find tools -type f ! -path tools/objtool/objtool ! -path 'tools/testing/kunit/*' \
            ! -path tools/bpf/resolve_btfids/resolve_btfids -delete &&
        find . \( -name '*.o' -o -name '*.cmd' -o -name '*.a' \) -delete &&
        find tools -depth -type d -empty -delete
}

build() {
    cd "$1"
    xz -T0 -dc "$sources/$version/linux.tar.xz" | tar --extract --strip-components=1 || return 1
    configure || return 1
    # The names of machine and user would make every build another one.
    make -s -j"$(nproc)" KBUILD_BUILD_HOST=lean KBUILD_BUILD_USER=lean bzImage modules || return 1
    cp arch/x86/boot/bzImage ../vmlinuz && cp include/config/kernel.release ../release &&
        ln -s headers/vmlinux ../vmlinux && prune
}

# Other kernels, of this checkout or of another one: a test may be running on one of them.
forget_old() {
    local other
    for other in "$cache"/*/; do
        [ "$other" = "$sources/" ] || [ -n "$(find "$other" -mindepth 1 -maxdepth 1 \
            -name complete -mtime -1)" ] || rm -rf "$other"
    done
    find "$sources" -mindepth 1 -maxdepth 1 ! -name "$version" -exec rm -rf {} +
}

"$here/../userspace/packages.sh" kernel
mkdir -p "$sources"
exec {lock}>"$cache/lock"
if ! flock --nonblock "$lock"; then
    say 'waiting for another run'
    flock "$lock"
fi

find_source
key=$version-$(cat "$here/lean.config" "$here/build-lean.sh" | sha256sum | cut -c 1-12)
folder=$cache/$key
# The tree knows its place, so it is built there; what tells it whole comes last.
if [ ! -e "$folder/complete" ]; then
    forget_old
    mkdir -p "$folder/headers"
    say "building $version"
    started=$SECONDS
    # Under make, its variables are not for this build.
    if ! (unset MAKEFLAGS MFLAGS MAKELEVEL; build "$folder/headers") >"$folder/log" 2>&1; then
        tail -n 20 "$folder/log" >&2
        die "the build failed: $folder/log"
    fi
    say "built in $((SECONDS - started)) s, $(du -sm "$folder" | cut -f 1) MB"
fi
touch "$folder/complete"
echo "$folder"
