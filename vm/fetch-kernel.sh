#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Prints the folder of a kernel in kernels.list, after fetching it into the cache ($BTF_EXTRA_CACHE, by
# default ~/.cache/btf-extra) if it is missing:
#
#   fetch-kernel.sh NAME
#
# It has vmlinuz; release (uname -r); version (of the Debian packages, for fetch-vmlinux.sh NAME
# VERSION); headers, to build modules with `make -C headers M=...`, by whatever user and from
# wherever the cache is; modules, the image's lib/modules/<release>/kernel; arch, its architecture
# by Debian's name. A kernel that is built here has vmlinux too, and neither version, modules nor
# arch; "intree" has lib/modules/<release>.
#
# Nothing is installed. Where the packages are of a newer Debian than the machine, its compiler and
# build tools come along, and run with the C library they were made for (see run_by_own_libc).
set -euo pipefail

say() { echo "fetch-kernel: $*" >&2; }
# shellcheck source=vm/package-cache.sh
. "$(dirname "$0")/package-cache.sh"

is_elf() { [ "$(head -c 4 "$1" | tail -c 3 | tr -d '\0')" = ELF ]; }

# The packages that a .deb depends on, one a line, without alternatives and versions.
depends_of() { dpkg-deb -f "$1" Depends | tr ',' '\n' | sed 's/^ *//; s/[ |:].*//'; }

in_index() { apt-cache show "$1" >/dev/null 2>&1; }

# unpack DEB...: into root/.
unpack() {
    local deb
    for deb; do
        dpkg -x "$deb" root || return 1
        rm "$deb"
    done
}

# Puts a script in the place of a program of root/, which starts it by root/'s loader and libraries.
run_by_own_libc() {
    local program=$1 script=$2 root
    root=$(realpath -m --relative-to "$(dirname "$script")" root)
    shift 2
    mkdir -p "$(dirname "$script")" || return 1
    cat >"$script.new" <<END
#!/bin/sh
here=\$(dirname "\$0")
root=\$here/$root
exec "\$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "\$root/usr/lib/x86_64-linux-gnu" \\
    --argv0 "\$0" "\$root/${program#root/}" $* "\$@"
END
    chmod +x "$script.new" && mv "$script.new" "$script"
}

# Brings the packages that the headers and build tools depend on, from the suite's own Debian release,
# and makes the tools run here, with a compiler for the kernel's architecture.
bring_own_tools() {
    local wanted file tool release=${suite%:*} triplet=x86_64-linux-gnu
    release=${release%-backports}
    mapfile -t wanted < <(grep -v '^linux-' depends | sort -u)
    if [ "$arch" = arm64 ]; then
        triplet=aarch64-linux-gnu
        mapfile -t wanted < <(printf '%s\n' "${wanted[@]}" |
            sed -E "s/^(gcc-[0-9]+)(-for-host)?\$/\\1-$triplet/")
    fi
    say "downloading ${wanted[*]} of $release"
    use_suite "$release" || return 1
    mkdir -p archives/partial
    timeout 3600 apt-get -q=2 -o Acquire::Retries=3 -o Acquire::http::Timeout=60 \
        -o Dir::Cache::archives="$PWD/archives" -o Debug::NoLocking=true install -y \
        --no-install-recommends --download-only "${wanted[@]}" >&2 </dev/null || return 1
    unpack archives/*.deb || return 1

    for file in root/usr/bin/"$triplet"-* root/usr/bin/pahole; do
        tool=$(basename "$file")
        case $tool in
        *-gcc-[0-9]*)
            run_by_own_libc "$file" "tools/$tool" "-B\"\$here/\"" || return 1 ;;
        *) run_by_own_libc "$file" "tools/$tool" || return 1 ;;
        esac
    done
    # The compiler looks beside the script for the programs that it starts, by these names.
    for file in root/usr/libexec/gcc*/"$triplet"/*/cc1; do
        run_by_own_libc "$file" tools/cc1 || return 1
    done
    ln -s $triplet-as tools/as && ln -s $triplet-ld tools/ld || return 1

    find root/usr/lib/linux-kbuild-* -type f -perm -u+x >executables
    while read -r file; do
        ! is_elf "$file" || { mv "$file" "$file.elf" && run_by_own_libc "$file.elf" "$file"; } ||
            return 1
    done <executables
    cat >>"$headers/.kernelvariables" <<END
btf_extra_tools := \$(realpath \$(dir \$(lastword \$(MAKEFILE_LIST)))../../../../tools)
override CROSS_COMPILE = \$(btf_extra_tools)/$triplet-
override PAHOLE = \$(btf_extra_tools)/pahole
END
}

# 6.1's packages have neither of the two that a module's .BTF is made with.
bring_btf_tools() {
    local vmlinux package other=6.12
    vmlinux=$("$vm/fetch-vmlinux.sh" "$name" "$version") || return 1
    ln -s "$(realpath --relative-to "$headers" "$vmlinux")" "$headers/vmlinux" || return 1
    (use_suite "${suite%:*}" && read -r _ package _ < <(newest_package "linux-kbuild-$other.*") &&
        download "$package") || { say "no linux-kbuild-$other.* for its resolve_btfids"; return 1; }
    dpkg -x linux-kbuild-$other*.deb other || return 1
    cp -r other/usr/lib/linux-kbuild-*/tools/bpf root/usr/lib/linux-kbuild-*/tools/
}

# link_first LINK TARGET...: to the first that exists.
link_first() {
    local link=$1 target
    shift
    for target; do
        if [ -e "$target" ]; then
            ln -s "$target" "$link"
            return
        fi
    done
    say "linux $version: no ${1##*/} in its packages"
    return 1
}

fill() {
    local version=$1 release=${2#linux-image-} headers_package headers packages=() package
    release=${release%-dbg}
    headers_package=linux-headers-$release
    headers=root/usr/src/$headers_package

    say "downloading linux $version"
    download "$headers_package=$version" || return 1
    depends_of "$headers_package"_*.deb >depends
    mapfile -t packages < <(grep '^linux-headers-' depends)
    for package in linux-image-"$release"-unsigned linux-binary-unsigned-"$release" \
        linux-modules-"$release"; do
        ! in_index "$package" || packages+=("$package")
    done
    download "${packages[@]/%/=$version}" || return 1
    # These programs run on this machine, for any kernel.
    package=$(grep -m 1 '^linux-kbuild-' depends)
    (use_suite "${suite%:*}" && download "$package=$version") || return 1
    depends_of linux-kbuild-*.deb >>depends
    say 'unpacking'
    unpack ./*.deb || return 1

    # The headers name their place in the file system.
    # shellcheck disable=SC2016  # for make
    sed -i '1i btf_extra_src := $(realpath $(dir $(lastword $(MAKEFILE_LIST)))/..)
        s,/usr/src/,$(btf_extra_src)/,' "$headers/Makefile"
    [ "$arch" = amd64 ] || sed -i '1i CROSS_COMPILE ?= aarch64-linux-gnu-' "$headers/.kernelvariables"
    if [ "${suite%:*}" != any ]; then
        bring_own_tools || return 1
    elif [ ! -e "$headers/vmlinux" ]; then
        bring_btf_tools || return 1
    fi

    ln -s "$headers" headers
    link_first modules "root/lib/modules/$release/kernel" "root/usr/lib/modules/$release/kernel" &&
        link_first vmlinuz "root/boot/vmlinuz-$release" \
            "root/usr/lib/modules/$release/vmlinuz.unsigned" || return 1
    echo "$release" >release
    echo "$version" >version
    echo "$arch" >arch
    rm -rf ./*.deb archives other depends executables
}

find_kernel "${1:?usage: fetch-kernel.sh NAME}"
if [ "$suite" = built ]; then
    exec "$vm/$pattern" "$name"
fi
give kernel release
