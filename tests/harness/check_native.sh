#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make check-native`: the two commands of README.md on a Debian for arm64, in a chroot whose programs
# this machine's processor emulates. As root; where the kernel knows no emulator for them yet, it does
# afterwards (binfmt_misc). Takes an hour. The last line counts.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

# shellcheck source=tests/harness/results.sh
. tests/harness/results.sh
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh

out=$PWD/build/check-native
begin_results "$out"
export results=$out/results/arm64 test='native arm64'
userspace/packages.sh emulated || exit 1
handlers=/proc/sys/fs/binfmt_misc
[ -e "$handlers/register" ] || mount -t binfmt_misc binfmt_misc "$handlers" || exit 1
[ -e "$handlers/qemu-aarch64" ] || update-binfmts --enable qemu-aarch64 || exit 1

headers=linux-headers-cloud-arm64
# shellcheck disable=SC2046  # words
chroot=$(vm/fetch-chroot.sh bookworm:arm64 --foreign $(userspace/packages.sh names build kernel) "$headers") || exit 1
root=$out/scratch/root
mkdir -p "$root"
tar -C "$root" -xf "$chroot/root.tar" || exit 1
mkdir "$root/btf-extra"
git ls-files --cached --others --exclude-standard | while read -r file; do
    [ ! -e "$file" ] || cp --parents -t "$root/btf-extra" "$file"
done

# There is no network: what is missing cannot be fetched.
in_root() {
    unshare --mount --pid --fork --net --mount-proc="$root/proc" chroot "$root" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 env --chdir=/btf-extra "$@"
}
# elf_machine FILE: as readelf names it
elf_machine() { readelf -hW "$1" | sed -n 's/^ *Machine: *//p'; }

row 'make userspace' in_root make userspace
same 'the command is of arm64' AArch64 "$(elf_machine "$root/btf-extra/build/release/btf-extra")"
version=$(sed -n 's/^#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' kernel/core/version.h)
same 'it says its version' "btf-extra $version" "$(in_root build/release/btf-extra --version)"
kdir=$(cd "$root" && echo usr/src/linux-headers-*-cloud-arm64)
row 'make kernel' in_root make kernel KDIR="/$kdir"
module=$(find "$root/btf-extra/build" -name btf_extra.ko)
same 'the module is of arm64' AArch64 "$(elf_machine "$module")"
same 'and for that kernel' "${kdir#*headers-}" "$(modinfo -F vermagic "$module" | cut -d' ' -f1)"

# The module itself is what has debug information there.
vmlinux=$(vm/fetch-vmlinux.sh 6.1-arm64) || exit 1
cp "$vmlinux" "$root/vmlinux"
make --no-print-directory -s build/release/btf-extra || exit 1
row 'generate, for the module' in_root build/release/btf-extra generate -o /there --vmlinux /vmlinux \
    "${module#"$root"}"
build/release/btf-extra generate -o "$out/scratch/here" --vmlinux "$vmlinux" "$module"
row 'its file has the same bytes as one made here' cmp "$root/there" "$out/scratch/here"
end_results "$out"
