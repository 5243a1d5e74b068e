#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Installs the Debian packages for the named purposes that are missing.
#
#   packages.sh PURPOSE...   build, check, kernel, bench, vm, deb, arm64, to build for it, or
#                            emulated, to run its programs: 0 if all are installed; else 1 and one
#                            line that says what to do
#   packages.sh index [now]  updates the package index if it is older than a day, or now; 1 if there
#                            is no index
#   packages.sh libraries    prints the packages with the libraries that the command is built with
#   packages.sh names PURPOSE...   prints the packages
#
# If everything is installed apt is not called at all.
set -euo pipefail

libraries='libdw-dev libelf-dev libbpf-dev libcapstone-dev libfmt-dev libcli11-dev'
libraries+=' libcurl4-openssl-dev libdebuginfod-dev nlohmann-json3-dev libssl-dev libzstd-dev zlib1g-dev'

packages_for() {
    case $1 in
    build) echo g++ make "$libraries" python3 clang-14 llvm-14 ;;
    arm64) echo g++-aarch64-linux-gnu libc6-dev-arm64-cross ;;
    check) echo libgtest-dev clang-14 clang-format-14 clang-tidy-14 llvm-14 lld-14 \
        libclang-rt-14-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross binutils elfutils \
        xz-utils zstd dwarves dwz bpftool shellcheck git ccache openssl pkg-config procps mandoc zsh ;;
    kernel) echo ccache dkms gcc git make flex bison bc libelf-dev libssl-dev dwarves kmod xz-utils \
        perl python3 sparse ;;
    deb) echo debhelper dh-dkms dpkg-dev fakeroot lintian mmdebstrap systemd ;;
    bench) echo libbenchmark-dev dwarves llvm-14-dev ;;
    vm) echo busybox-static cpio dwarves gcc-12 libelf1 libssl3 libzstd1 make qemu-system-x86 zlib1g ;;
    emulated) echo arch-test binfmt-support mmdebstrap qemu-user-static ;;
    *) echo "usage: ${0##*/} index [now] | libraries | [names] build|check|kernel|bench|vm|deb|arm64|emulated ..." >&2; exit 2 ;;
    esac
}

is_root() { [ "$(id -u)" = 0 ]; }

# apt changes this folder whenever it asks the archive, even if nothing was new.
index_asked=/var/lib/apt/lists/partial

index_there() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }
index_old() { ! index_there || [ -z "$(find "$index_asked" -prune -mtime -1 2>/dev/null)" ]; }

quiet_apt() {
    DEBIAN_FRONTEND=noninteractive timeout 1800 apt-get -q -o DPkg::Lock::Timeout=300 \
        -o Acquire::Retries=2 -o Acquire::http::Timeout=30 "$@" </dev/null
}

update_index() {
    is_root || return 1
    echo 'packages: apt-get update' >&2
    local log
    log=$(quiet_apt update 2>&1) || { printf '%s\n' "$log" >&2; return 1; }
}

# Prints the packages of "$@" that are not installed.
missing_of() {
    local package status
    for package; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || true
        [ "$status" = installed ] || printf '%s\n' "$package"
    done
}

install_packages() {
    local log
    echo "packages: apt-get install $*" >&2
    log=$(quiet_apt install -y --no-install-recommends "$@" 2>&1) ||
        { printf '%s\n' "$log" >&2; return 1; }
}

if [ "${1:-}" = index ]; then
    if { [ "${2:-}" = now ] || index_old; } && ! update_index; then
        index_there || { echo 'packages: no package index; run: sudo apt-get update' >&2; exit 1; }
        echo 'packages: the package index could not be brought up to date' >&2
    fi
    exit 0
fi

if [ "${1:-}" = libraries ]; then
    echo "$libraries"
    exit 0
fi

if [ "${1:-}" = names ]; then
    shift
    for purpose; do packages_for "$purpose"; done
    exit 0
fi

wanted=$(for purpose; do packages_for "$purpose"; done)
# shellcheck disable=SC2086  # a list of words
mapfile -t missing < <(missing_of $wanted | sort -u)
[ "${#missing[@]}" -gt 0 ] || exit 0
if ! is_root; then
    if index_there; then update=''; else update='sudo apt-get update && '; fi
    echo 'Some packages are missing. Please run:' >&2
    echo "  ${update}sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
fi
if index_old; then
    update_index || true
    install_packages "${missing[@]}" && exit 0
    exit 1
fi
install_packages "${missing[@]}" || { update_index && install_packages "${missing[@]}"; }
