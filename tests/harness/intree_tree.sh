#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The patches, what `make kernel-tree` does with a kernel source, and how that kernel builds:
#
#   intree_tree.sh RESULTS
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# Under make, its variables are not for what is built here.
unset MAKEFLAGS MFLAGS MAKELEVEL

top=$PWD
results=$1 test=intree
scratch=$(mktemp -d "${TMPDIR:-/tmp}/intree.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=vm/lean-make.sh
. vm/lean-make.sh
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
# shellcheck source=tests/harness/elf_sections.sh
. tests/harness/elf_sections.sh

stop() { failed "$*"; exit 1; }
is() { [ "$1" = "$2" ] || { printf '%s\nis not\n%s\n' "$1" "$2"; return 1; }; }

# ---- the source ----

# some_of FOLDER: the files of the source that the patches change, and what tells its version.
some_of() {
    local archive
    archive=$(vm/fetch-source.sh 7.x) && mkdir -p "$1" || return
    { printf '%s\n' Kbuild Makefile
        sed -n 's,^--- a/,,p' kernel/patches/7.x/*.patch; } | sort -u |
        grep -v -x -F -f <(sed -n '/^--- .dev.null$/{n;s,^+++ b/,,p}' kernel/patches/7.x/*.patch) |
        sed "s,^,linux-source-*/," >"$scratch/files"
    xz -T0 -dc "$archive" | tar --extract --strip-components=1 --wildcards \
        --no-wildcards-match-slash -C "$1" -T "$scratch/files"
}

state() { (cd "$1" && find . -type f -o -type l | LC_ALL=C sort | xargs -r stat -c '%n %y %s'); }
kernel_tree() { make --no-print-directory kernel-tree SRC="$1" "${@:2}"; }

# No file of btf-extra is missing or different in the tree.
copied() {
    local from to
    for from in kernel/{Kbuild,Kconfig,module_main.c,core/loc_index.c,data/blobs.S} \
        tests/core/core_rows.c include/linux/btf_extra.h include/uapi/linux/btf_extra.h; do
        to=$1/kernel/bpf/btf_extra/$from
        [ "${from%%/*}" != include ] || to=$1/$from
        cmp "$from" "$to" || return
    done
}
applies() {
    kernel_tree "$1" && copied "$1" && grep -q DEBUG_INFO_BTF_EXTRA_HOOK "$1/kernel/bpf/Kconfig" &&
        [ -x "$1/scripts/gen-btf-extra.sh" ]
}
twice_is_once() {
    local before
    before=$(state "$1")
    kernel_tree "$1" && is "$(state "$1" | grep -v 'btf_extra/sources ')" \
        "$(grep -v 'btf_extra/sources ' <<<"$before")"
}
updates() {
    local ours=$1/kernel/bpf/btf_extra/kernel
    echo '/* older */' >>"$ours/sources/manifest.c"
    touch "$ours/gone.c"
    echo kernel/bpf/btf_extra/kernel/gone.c >>"$1/kernel/bpf/btf_extra/sources"
    LC_ALL=C sort -o "$1/kernel/bpf/btf_extra/sources" "$1/kernel/bpf/btf_extra/sources"
    kernel_tree "$1" && copied "$1" && cmp kernel/sources/manifest.c "$ours/sources/manifest.c" &&
        [ ! -e "$ours/gone.c" ]
}
links() {
    local file=kernel/sources/manifest.c
    kernel_tree "$1" LINK=1 && is "$(readlink "$1/kernel/bpf/btf_extra/$file")" "$top/$file" &&
        kernel_tree "$1" && [ ! -L "$1/kernel/bpf/btf_extra/$file" ] && copied "$1"
}
# refused FOLDER TEXT: with one line that has the text, and nothing is changed.
refused() {
    local before
    before=$(state "$1")
    ! kernel/build/tree.sh "$1" >"$scratch/said" 2>&1 || return
    is "$(wc -l <"$scratch/said")" 1 && grep -F -e "$2" "$scratch/said" &&
        is "$(state "$1")" "$before"
}

tree=$scratch/some
some_of "$tree" || stop '7.x: no source'
cp -r "$tree" "$tree.changed"
# Only the last of the patches has this file.
sed -i 's/btf_base_data/other_data/' "$tree.changed/include/linux/module.h"
row '7.x: a source that the patches do not fit stays as it was' \
    refused "$tree.changed" 'does not apply: patch failed: include/linux/module.h'
row '7.x: applies' applies "$tree"
row '7.x: twice is once' twice_is_once "$tree"
row '7.x: the copy is brought up to date' updates "$tree"
row '7.x: links with LINK=1, and copies again' links "$tree"
echo >>"$tree/kernel/bpf/btf_extra/patches"
row '7.x: a message names other patches of the series' refused "$tree" 'has patches of btf-extra other than'
sed -i -e 's/^VERSION = .*/VERSION = 6/' -e 's/^PATCHLEVEL = .*/PATCHLEVEL = 12/' "$tree.changed/Makefile"
row 'a message names a version without patches' refused "$tree.changed" \
    'no patches for Linux 6.12; patches exist for 7.x'
mkdir "$scratch/empty"
row 'a message says that a folder has no kernel source' refused "$scratch/empty" 'no kernel source'

# ---- what the kernel's own checker says ----

lean=$(vm/build-lean.sh) || stop 'no lean kernel'
# checkpatch looks for an include/ to learn names from. New files are in folders of MAINTAINERS.
checkpatch() (
    mkdir -p "$scratch/checkpatch/include" && cd "$scratch/checkpatch" &&
        "$lean/source/scripts/checkpatch.pl" --strict --no-tree --root=. --terse --quiet --no-summary \
            --ignore FILE_PATH_CHANGES "$top"/kernel/patches/7.x/*.patch
)
row '7.x: checkpatch' checkpatch

# ---- the configuration ----

# The guest of that kernel has modules from the same folder.
exec {in_use}>build/kernel/intree.lock
flock "$in_use"

intree=$(vm/build-intree.sh) || stop 'the build failed'
tree=$intree/source

# config VERSION-LINE: what the lean configuration becomes with a generator that says that.
config() {
    local out=$scratch/config
    rm -rf "$out" && mkdir "$out"
    printf '#!/bin/sh\n%s\n' "$1" >"$out/btf-extra"
    chmod +x "$out/btf-extra"
    cp "$tree/build/.config" "$out/.config"
    make -s -C "$tree" O="$out" BTF_EXTRA="${2:-$out/btf-extra}" olddefconfig
}
option() { grep -x 'CONFIG_DEBUG_INFO_BTF_EXTRA=m' "$scratch/config/.config"; }
said() { grep -x '# Locations for BTF need btf-extra 1.0 or later: make BTF_EXTRA=path' \
    "$scratch/config/.config"; }
with_option() { config "$@" && option && ! said; }
without_option() { config "$@" && ! option && said && ! grep '_EXTRA_HOOK=y' "$scratch/config/.config"; }
row 'version 1.0: there is the option' with_option 'echo btf-extra 1.0'
row 'version 1.12: there is the option' with_option 'echo btf-extra 1.12'
row 'version 0.9: there is none, and a comment' without_option 'echo btf-extra 0.9'
row 'a generator without a version: the same' without_option 'echo "usage" >&2; exit 2'
row 'no generator: the same' without_option '' "$scratch/nowhere"
# The configuration has all else that the option asks for.
no_offer() {
    ARCH=riscv config 'echo btf-extra 1.0' &&
        grep -x 'CONFIG_DEBUG_INFO_BTF_MODULES=y' "$scratch/config/.config" &&
        grep -x 'CONFIG_BTF_EXTRA_VERSION=100' "$scratch/config/.config" && ! option && ! said
}
row 'riscv: neither the option nor a comment' no_offer
ARCH=arm64 row 'arm64: there is the option' with_option 'echo btf-extra 1.0'

# ---- the build ----

# The generator is a copy, which may become newer. lean_make's options come first.
generator=$scratch/btf-extra
cp build/release/btf-extra "$generator"
build() { lean_make "$tree" BTF_EXTRA="$generator" "$@"; }
data=kernel/bpf/btf_extra/kernel/data
# Time and name of what the build makes.
made() {
    (cd "$tree/build" && find . -name '*.ko' -o -name vmlinux -o -name vmlinux.btf_extra -o \
        -path './kernel/*.o' | LC_ALL=C sort | xargs -r stat -c '%y %n')
}
# rebuilt FILE BEFORE: the names in FILE of what is newer than BEFORE says
rebuilt() { comm -13 <(LC_ALL=C sort <<<"$1") <(made | LC_ALL=C sort) | sed 's,.* \./,,' | LC_ALL=C sort; }
modules() { (cd "$tree/build" && find . -name '*.ko' | sed 's,^\./,,' | LC_ALL=C sort); }

row 'builds with another generator' build modules
nothing_changed() {
    local before
    before=$(made)
    build modules && is "$(rebuilt "$before")" ''
}
row 'nothing changed: nothing is made' nothing_changed
touched_source() {
    local before
    before=$(made)
    touch "$tree/kernel/bpf/btf_extra/kernel/sources/manifest.c"
    build modules && is "$(rebuilt "$before")" "$(printf 'kernel/bpf/btf_extra/kernel/%s\n' \
        btf_extra.ko btf_extra.o sources/manifest.o)"
}
row 'a source changed: just what is made of it' touched_source
# lean_make is silent, and V=1 is then nothing.
build_aloud() {
    make -j"$(nproc)" -C "$tree" O=build V=1 CC="$cached_gcc" BTF_EXTRA="$generator" \
        KBUILD_BUILD_HOST=lean KBUILD_BUILD_USER=lean modules >"$scratch/verbose" 2>&1
}
newer_generator() {
    local before
    before=$(made)
    touch "$generator"
    build_aloud && is "$(rebuilt "$before")" "$({ modules
        echo $data/blobs.o
        echo $data/vmlinux.btf_extra; } | LC_ALL=C sort)"
}
row 'the generator changed: every module, and not vmlinux' newer_generator
says_time() {
    grep -E "^btf-extra: $data/vmlinux.btf_extra: [0-9.ms]+ user, [0-9.ms]+ system" \
        "$scratch/verbose" && grep -E '^btf-extra: fs/fuse/fuse.ko: [0-9]' "$scratch/verbose"
}
row 'V=1 says how long the generator took' says_time
# The data module is not made again, because its data is missing. The template of phantom functions carries no
# locations, so it does not depend on the generator.
failing_generator() {
    local left
    # shellcheck disable=SC2016
    printf '#!/bin/sh\ncase $1 in --version) echo btf-extra 1.0 ;; *) exit 1 ;; esac\n' \
        >"$scratch/failing"
    chmod +x "$scratch/failing"
    ! lean_make "$tree" -k BTF_EXTRA="$scratch/failing" modules || return
    left=$(modules)
    build modules && is "$left" "$data/btf_extra_vmlinux.ko"$'\n'"${data%/data}/inlined/inlined.ko" &&
        is "$(modules | wc -l)" 7
}
row 'a generator that fails leaves no module without locations' failing_generator

# ---- what is installed ----

installed=$scratch/installed
row 'modules_install' build modules_install INSTALL_MOD_PATH="$installed" INSTALL_MOD_STRIP=1
kernel_folder=$(echo "$installed"/lib/modules/*/kernel)
row 'both modules are installed' ls "$kernel_folder"/kernel/bpf/btf_extra/kernel/btf_extra.ko \
    "$kernel_folder/$data/btf_extra_vmlinux.ko"
others_have_sections() {
    local module count=0
    while read -r module; do
        has_sections "$module" .BTF '.BTF.func_info A' '.btf_extra A' || return
        ! has_sections "$module" .debug_info >/dev/null || return
        count=$((count + 1))
    done < <(find "$kernel_folder" -name '*.ko' ! -name btf_extra_vmlinux.ko ! -name inlined.ko)
    [ "$count" -ge 4 ]
}
row 'each other module carries its locations' others_have_sections
template_has_none() {
    local template=$kernel_folder/kernel/bpf/btf_extra/kernel/inlined/inlined.ko
    has_sections "$template" .BTF && ! has_sections "$template" '.BTF.func_info A' &&
        ! has_sections "$template" '.btf_extra A'
}
row 'the template of phantom functions carries none' template_has_none
row 'the data module has the types as its BTF' has_sections \
    "$kernel_folder/$data/btf_extra_vmlinux.ko" '.BTF A'
same_types() {
    objcopy -O binary --only-section=.BTF --set-section-flags .BTF=alloc \
        "$kernel_folder/$data/btf_extra_vmlinux.ko" "$scratch/types" &&
        cmp "$scratch/types" "$tree/build/$data/types.bin"
}
row 'these are the ones of the generator' same_types

# Clean removes files, and their copies by other names stay.
clean_leaves_nothing() {
    local copy=$scratch/clean
    cp -al "$tree" "$copy" 2>/dev/null || cp -a "$tree" "$copy"
    lean_make "$copy" clean && is "$(find "$copy/build" \( -name '*.ko' -o -name '*btf_extra*' \) \
        -type f ! -path '*/include/config/*')" '' &&
        is "$(find "$copy/build/kernel/bpf" -type f)" ''
    local status=$?
    rm -rf "$copy"
    return "$status"
}
row 'make clean leaves nothing' clean_leaves_nothing
