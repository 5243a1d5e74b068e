#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# kernel/build/dkms.sh, and what DKMS makes of it, in a tree of its own:
#
#   dkms.sh RESULTS
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1 test=dkms
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
# shellcheck source=tests/harness/elf_sections.sh
. tests/harness/elf_sections.sh
scratch=$(mktemp -d "${TMPDIR:-/tmp}/dkms.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/source" "$scratch/tree"
trees=(--sourcetree "$scratch/source" --dkmstree "$scratch/tree")

kernel=$(vm/fetch-kernel.sh 6.12) || { failed 'no kernel'; exit 1; }
release=$(cat "$kernel/release")
row 'the sources are taken' kernel/build/dkms.sh "${trees[@]}"
row 'and taken again' kernel/build/dkms.sh "${trees[@]}"
version=$(sed -n 's/^#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' kernel/core/version.h)
row 'a kernel gets its module' dkms build "${trees[@]}" --kernelsourcedir "$kernel/headers" \
    -k "$release" "btf-extra/$version"
module=$(find "$scratch/tree" -name 'btf_extra.ko*' | head -n 1)
made_for() { [ "$(modinfo -F vermagic "$1" | cut -d' ' -f1)" = "$2" ]; }
row 'of its own version' made_for "$module" "$release"
has_version() { [ "$(modinfo -F version "$1")" = "$2" ]; }
row 'the module has the version of btf-extra' has_version "$module" "$version"
row 'and BTF, since vmlinux is there' has_sections "$module" .BTF
template=$(find "$scratch/tree" -name 'inlined.ko*' | head -n 1)
row 'the kernel gets the template of phantom functions' made_for "$template" "$release"
# A kernel without ftrace gets the module, and no template.
headers=$(realpath "$kernel/headers")
mkdir "$scratch/headers" && cp -rs "$headers/." "$scratch/headers/" && rm -f "$scratch/headers/.config" &&
    grep -v 'CONFIG_\(DYNAMIC_FTRACE\|FUNCTION_TRACER\)=' "$headers/.config" >"$scratch/headers/.config"
modules_of() { (
    export kernel_source_dir=$1 dkms_tree=$scratch/tree
    # shellcheck disable=SC1090
    . "$scratch/source/btf-extra-$version/dkms.conf" >/dev/null
    echo "${BUILT_MODULE_NAME[*]}"
) }
is_said() { [ "$("${@:2}")" = "$1" ]; }
row 'dkms builds both' is_said 'btf_extra inlined' modules_of "$headers"
row 'and of one where the kernel has no ftrace' is_said btf_extra modules_of "$scratch/headers"
# declined RELEASE ARCH: dkms says that the module is not for such a kernel (77).
declined() {
    dkms build "${trees[@]}" --kernelsourcedir "$kernel/headers" -k "$1" -a "$2" "btf-extra/$version"
    [ $? -eq 77 ]
}
row 'another architecture is not offered it' declined "$release" riscv64
row 'an older kernel is not offered it' declined 6.0.0-1-amd64 x86_64
