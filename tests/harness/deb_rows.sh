#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Rows about Debian packages that userspace/deb.sh made: what is in them, and what they do when they are
# installed, when a kernel comes or goes, and when they are removed. As root, in a chroot.
#
#   deb_rows.sh RESULTS FOLDER SUITE [ARCHITECTURE]
#
# Packages of another architecture are not installed.
#
#   $LINTIAN   options for lintian
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1 folder=$(realpath "$2") suite=$3 here=$(dpkg --print-architecture)
architecture=${4:-$here} test=${test:-deb}
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
scratch=$(mktemp -d "${TMPDIR:-/tmp}/deb.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
version=$(sed -n 's/^#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' kernel/core/version.h)
major=${version%.*}
declare -A tuples=([amd64]=x86_64-linux-gnu [arm64]=aarch64-linux-gnu)
tuple=${tuples[$architecture]}

# ---- what is in them ----

names() { (cd "$folder" && for file in *.deb; do echo "${file%%_*}"; done) | grep -v dbgsym | LC_ALL=C sort; }
all="btf-extra
btf-extra-dkms
libbtf-extra-dev
libbtf-extra$major"
[ "$architecture" = "$here" ] || all=$(grep -v dkms <<<"$all")
same 'the packages' "$all" "$(names)"

# package NAME: its file.
package() { echo "$folder/$1"_*.deb; }
field() { dpkg-deb -f "$(package "$1")" "$2"; }

# "MODE PATH" of each file and link, all of root's; folders are left out. Units are in /lib before trixie.
contents() {
    dpkg-deb -c "$(package "$1")" | awk '$1 !~ /^d/ {
        sub(/^\.\/usr\/lib\/systemd/, "./lib/systemd", $6)
        print ($2 == "root/root" ? "" : $2 " ") $1, substr($6, 2) ($7 == "->" ? " -> " $8 : "") }' |
        LC_ALL=C sort -k 2
}
same 'the files of btf-extra' "\
-rwxr-xr-x /etc/kernel/postinst.d/zzz-btf-extra
-rwxr-xr-x /etc/kernel/postrm.d/btf-extra
-rw-r--r-- /lib/systemd/system/btf-extra-follow.service
-rw-r--r-- /lib/systemd/system/btf-extra.service
-rwxr-xr-x /usr/bin/btf-extra
lrwxrwxrwx /usr/bin/btf-extra-addr2line -> btf-extra
-rw-r--r-- /usr/share/bash-completion/completions/btf-extra
-rw-r--r-- /usr/share/doc/btf-extra/README.md.gz
-rw-r--r-- /usr/share/doc/btf-extra/USAGE.md.gz
-rw-r--r-- /usr/share/doc/btf-extra/changelog.gz
-rw-r--r-- /usr/share/doc/btf-extra/copyright
lrwxrwxrwx /usr/share/man/man1/btf-extra-addr2line.1.gz -> btf-extra.1.gz
-rw-r--r-- /usr/share/man/man1/btf-extra.1.gz
-rw-r--r-- /usr/share/zsh/vendor-completions/_btf-extra" "$(contents btf-extra)"
same 'the files of the library' "\
-rw-r--r-- /usr/lib/$tuple/libbtf_extra.so.$major
-rw-r--r-- /usr/share/doc/libbtf-extra$major/changelog.gz
-rw-r--r-- /usr/share/doc/libbtf-extra$major/copyright" "$(contents "libbtf-extra$major")"
same 'the files for those who build against it' "\
-rw-r--r-- /usr/include/bpf/btf_loc.bpf.h
-rw-r--r-- /usr/include/btf_extra.h
-rw-r--r-- /usr/include/linux/btf_extra.h
-rw-r--r-- /usr/lib/$tuple/libbtf_extra.a
lrwxrwxrwx /usr/lib/$tuple/libbtf_extra.so -> libbtf_extra.so.$major
-rw-r--r-- /usr/lib/$tuple/pkgconfig/libbtf_extra.pc
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/changelog.gz
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/copyright
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/examples/Makefile
-rwxr-xr-x /usr/share/doc/libbtf-extra-dev/examples/audit.sh
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/examples/audit.yml
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/examples/kloc.bpf.c
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/examples/kloc.c
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/examples/tasks.bpf.c
-rw-r--r-- /usr/share/doc/libbtf-extra-dev/examples/tasks.c
-rw-r--r-- /usr/share/man/man3/libbtf_extra.3.gz" "$(contents libbtf-extra-dev)"

for name in btf-extra "libbtf-extra$major" libbtf-extra-dev; do
    dpkg-deb -x "$(package "$name")" "$scratch/tree"
done
library=$scratch/tree/usr/lib/$tuple/libbtf_extra.so.$major
same 'the library is named after its SONAME' "libbtf_extra.so.$major" \
    "$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')"
dpkg-deb -e "$(package "libbtf-extra$major")" "$scratch/control"
same 'its list of symbols is what it exports' \
    "$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@@/, "@", $3); print $3 }' | LC_ALL=C sort)" \
    "$(sed -n 's/^ \(btf_[^ ]*\) .*/\1/p' "$scratch/control/symbols" | LC_ALL=C sort)"
same 'the library that programs are built for is the one beside them' \
    "$(field "libbtf-extra$major" Version)" \
    "$(field libbtf-extra-dev Depends | sed -n "s/.*libbtf-extra$major (= \([^)]*\)).*/\1/p")"
needs_no_tools() { ! field "$1" Depends | grep -E 'libbtf|-dev|dkms|(^| )(gcc|g\+\+|clang)'; }
row 'the command needs no compiler and no other package of these' needs_no_tools btf-extra

bytes=$(cat "$scratch/tree/usr/bin/btf-extra" "$library" | wc -c)
echo "command and library: $bytes bytes; installed: $(field btf-extra Installed-Size) and" \
    "$(field "libbtf-extra$major" Installed-Size) KiB"
# It is a bar for what a user gets, which Debian's flags make.
[ -n "${BTF_EXTRA_INSTALLED:-}" ] || row 'command and library have less than 3 MB' [ "$bytes" -lt 3000000 ]

if [ "$architecture" = "$here" ]; then
    dpkg-deb -x "$(package btf-extra-dkms)" "$scratch/dkms"
    kernel/build/dkms-sources.sh "$scratch/sources"
    row 'the sources for DKMS' diff -r "$scratch/sources" "$scratch/dkms/usr/src/btf-extra-$version"
fi

# shellcheck disable=SC2086  # a list of words
nothing 'lintian has nothing to say' "$(lintian --allow-root ${LINTIAN:-} "$folder"/*.changes 2>&1)"

[ "$architecture" = "$here" ] || exit 0

# ---- on a machine ----

depends() {
    for file in "$(package btf-extra)" "$(package "libbtf-extra$major")"; do
        dpkg-deb -f "$file" Depends
    done | sed 's/([^)]*)//g; s/|[^,]*//g; s/, */\n/g' | tr -d ' ' | sort -u
}
mapfile -t wanted < <(depends)
if ! chroot=$(vm/fetch-chroot.sh "$suite" dkms "${wanted[@]}"); then
    failed 'no chroot'
    exit 1
fi
root=$scratch/root
mkdir "$root"
tar -C "$root" -xf "$chroot/root.tar"
in_root() {
    unshare --mount --pid --fork --net --mount-proc="$root/proc" chroot "$root" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
files() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./run \
        -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log \) -prune -o -print | LC_ALL=C sort)
}

before=$(files)
mkdir "$root/tmp/packages"
cp "$(package btf-extra)" "$(package btf-extra-dkms)" "$(package "libbtf-extra$major")" "$root/tmp/packages/"
install_all() { in_root sh -c 'dpkg -i /tmp/packages/*.deb'; }
row 'they can be installed' install_all || exit 1
same 'the command runs' "btf-extra $version" "$(in_root btf-extra --version)"
same 'DKMS has the sources' "btf-extra/$version: added" "$(in_root dkms status)"
same 'a machine follows programs only if its administrator says so' btf-extra.service \
    "$(find "$root/etc/systemd/system" -name 'btf-extra*' -printf '%f\n')"
# The chroot has no systemd. This machine's looks for the commands there.
verify_units() {
    local unit
    for unit in btf-extra btf-extra-follow; do
        sed "s,^ExecStart=/usr,ExecStart=$root/usr," "$root/lib/systemd/system/$unit.service" >"$scratch/$unit.service"
    done
    systemd-analyze --man=no verify "$scratch"/btf-extra{,-follow}.service 2>&1
}
nothing 'systemd accepts the units' "$(verify_units)"
hooks=$(in_root run-parts --list /etc/kernel/postinst.d)
same 'the hook for kernels is the last one, after that of DKMS' "dkms zzz-btf-extra" \
    "$(grep -oE '/(dkms|zzz-btf-extra)$' <<<"$hooks" | tr -d / | xargs)"
same 'no other hook is after it' zzz-btf-extra "$(tail -n 1 <<<"$hooks" | sed 's,.*/,,')"

# kernel_hook FOLDER RELEASE WHY: what the script of a kernel's package does with our hook.
kernel_hook() {
    in_root timeout 60 env DEB_MAINT_PARAMS="'$3'" run-parts --regex 'btf-extra$' --arg="$2" \
        --arg="/boot/vmlinuz-$2" "/etc/kernel/$1" 2>&1
    echo "exit code $?"
}
release=6.1.0-made-up other=6.1.0-other
firmware=$root/lib/firmware/btf_extra
debug=$root/usr/lib/debug/boot

no_tables() { echo "btf-extra: no tables for the kernel $1; btf-extra install $1 makes them: $2
exit code 0"; }
no_package="apt knows no package with it; install the kernel's vmlinux with DWARF, set \
DEBUGINFOD_URLS, or take tables by --from"
same 'one line where there is no debug information' "$(no_tables $release \
    "no debug information of $release is installed: $no_package")" \
    "$(kernel_hook postinst.d $release configure)"
nothing 'and no tables' "$(find "$root/lib/firmware" 2>/dev/null)"

# build_kernel RELEASE: an ELF file that has what the command needs of a kernel.
build_kernel() {
    cat >"$scratch/kernel.c" <<CODE
const char banner[] = "Linux version $1 (gcc)";
struct packet { int length; };
static inline __attribute__((always_inline)) int headroom(struct packet *p) { return p->length + 7; }
int send(struct packet *p, int n) { return n * headroom(p); }
CODE
    gcc -g -O2 -nostdlib -static -no-pie -Wl,--build-id,-e,send -o "$scratch/kernel" "$scratch/kernel.c" &&
        pahole --btf_encode_detached="$scratch/btf" "$scratch/kernel" && mkdir -p "$debug" &&
        objcopy --add-section .BTF="$scratch/btf" "$scratch/kernel" "$debug/vmlinux-$1"
}
row 'a kernel is made up' build_kernel $release
tables_line() { sed -E 's/[0-9]+\.[0-9] MB/N MB/' <<<"$1"; }
same 'a kernel that comes gets its tables' \
    "btf-extra: /lib/firmware/btf_extra/$release: 1 objects, N MB
exit code 0" "$(tables_line "$(kernel_hook postinst.d $release configure)")"
same 'these' "$release
$release/manifest
$release/vmlinux.btf_extra" "$(cd "$firmware" && find . -mindepth 1 | sed 's,^\./,,' | LC_ALL=C sort)"
same 'one that is configured again has them' \
    "btf-extra: /lib/firmware/btf_extra/$release: 1 objects, N MB, all installed already: nothing to do
exit code 0" "$(tables_line "$(kernel_hook postinst.d $release configure)")"
same 'an upgrade takes nothing away' "exit code 0 $release" \
    "$(kernel_hook postrm.d $release upgrade) $(ls "$firmware")"

echo 'no kernel' >"$debug/vmlinux-$other"
same 'a file that is no kernel stops nothing' "$(no_tables $other \
    "no debug information of $other is installed: $no_package")" \
    "$(kernel_hook postinst.d $other configure)"
build_kernel $other
mv "$firmware" "$firmware.away"
echo 'in the way' >"$firmware"
said=$(kernel_hook postinst.d $other configure)
same 'no place for tables stops nothing' '2 lines, exit code 0' \
    "$(grep -c . <<<"$said") lines, $(tail -n 1 <<<"$said")"
rm "$firmware"
mv "$firmware.away" "$firmware"

kernel_hook postinst.d $other configure >/dev/null
same 'the tables of a kernel go with it' "exit code 0 $other" \
    "$(kernel_hook postrm.d $release remove) $(ls "$firmware")"

rm -r "$root/usr/lib/debug"
row 'they can be removed' in_root dpkg -r btf-extra btf-extra-dkms "libbtf-extra$major"
nothing 'and no tables stay' "$(find "$root/lib/firmware" 2>/dev/null)"
same 'what stays of a package that is not purged says nothing' 'exit code 0 exit code 0' \
    "$(kernel_hook postinst.d $release configure | xargs) $(kernel_hook postrm.d $release remove | xargs)"
row 'they can be purged' in_root dpkg -P btf-extra btf-extra-dkms "libbtf-extra$major"
rm -r "$root/tmp/packages"
nothing 'and nothing stays' "$(diff <(echo "$before") <(files))"
