#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# The patched kernel, built with btf_extra in it: which code a program of an unmodified libbpf is
# attached to that asks for a function by its id, or by its name (tests/vm/intree); and that the
# kernel's own selftests of that say what they say on the kernel as it was (tests/vm/selftests).
#
#   intree.sh RESULTS [PART...]     PART: rows, selftests; or one of intree_guest
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/harness/vm_test.sh
. tests/harness/vm_test.sh
parts=("${arguments[@]}")
[ "${#parts[@]}" -gt 0 ] || parts=(rows selftests)
kernel_name=${INTREE_KERNEL:-intree}

build_programs() {
    build_bpf intree replace replacing &&
        g++ -std=c++20 -O1 -Wall -Wextra -Werror -pthread -I. -Iinclude/uapi \
            -o "$scratch/intree_guest" tests/vm/intree/*.cpp -lbpf
}

# Like a module of the kernel's own: one that is built out of tree stands on a distilled base, which
# no types can be added to.
build_module() {
    local out=build/kernel/$kernel_name-test file
    mkdir -p "$out"
    for file in tests/vm/intree/{Kbuild,intree_*.[ch]}; do
        cmp -s "$file" "$out/${file##*/}" || cp "$file" "$out/"
    done
    # Kbuild does not know that its BTF stands on vmlinux's.
    [ "$out/intree_test.ko" -nt "$kernel/vmlinux" ] || rm -f "$out/intree_test.ko"
    vm/kbuild.sh "$kernel_name" -s M="$PWD/$out" RESOLVE_BTFIDS_FLAGS= W=1 KCFLAGS=-Werror \
        BTF_EXTRA="$PWD/build/release/btf-extra" modules &&
        strip -g -o "$1/intree_test.ko" "$out/intree_test.ko"
}

# add_modules FILES: as "make modules_install" left them.
add_modules() {
    local name
    mkdir -p "$1"
    for name in btf_extra btf_extra_vmlinux; do
        find "$kernel/lib/modules" -name "$name.ko" -exec cp {} "$1" \;
        [ -e "$1/$name.ko" ] || { echo "$kernel: no $name.ko"; return 1; }
    done
}

# ---- the rows of intree_guest ----

cat >"$scratch/start" <<'END'
insmod /intree_test.ko || exit 1
if [ $# -gt 0 ]; then
    insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && intree_guest with none "$@"
    exit
fi
intree_guest before /tmp/places && insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1
status=0
intree_guest with /tmp/places || status=1
# Of a test that was cut short they are left.
rmmod btf_extra_vmlinux btf_extra 2>/dev/null
intree_guest after /tmp/places || status=1
rmmod intree_test || status=1
exit $status
END

rows() {
    local files=$scratch/rows
    { add_modules "$files" && build_programs && build_module "$files" &&
        cp "$scratch"/{start,*.bpf.o} "$files" &&
        vm/add-program.sh "$files" "$scratch/intree_guest"; } >"$scratch/rows.log" 2>&1 ||
        { cat "$scratch/rows.log"; fail 'what the rows need could not be built'; }
    tests/harness/guest_rows.sh "$results" 'vm intree' "$kernel_name" --cpus 2 --files "$files" \
        -- sh /start "$@"
}

# ---- the kernel's own ----

cat >"$scratch/start_selftests" <<'END'
cd /
insmod /bpf_testmod.ko || exit 1
selftests /tmp/without.log >/tmp/without || exit 1
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko || exit 1
selftests /tmp/with.log >/tmp/with || exit 1
status=0
while read -r name wanted; do
    without=$(grep "^$name " /tmp/without)
    with=$(grep "^$name " /tmp/with)
    if [ "$without" = "$name $wanted" ] && [ "$with" = "$name $wanted" ]; then
        echo "pass selftest $name: $wanted, as before the patches, without btf_extra and with it"
    else
        echo "wanted $name $wanted; without: $without; with: $with"
        echo "fail selftest $name"
        status=1
    fi
done </unpatched.txt
[ $status = 0 ] || grep -v PASS /tmp/without.log /tmp/with.log
exit $status
END

selftests() {
    local files=$scratch/selftests
    { add_modules "$files" && tests/vm/selftests/build.sh "$kernel_name" "$files" &&
        vm/add-program.sh "$files" "$files/selftests" && rm "$files/selftests" &&
        cp tests/vm/selftests/unpatched.txt "$files" &&
        cp "$scratch/start_selftests" "$files/start"; } >"$scratch/selftests.log" 2>&1 ||
        { cat "$scratch/selftests.log"; fail 'the selftests could not be built'; }
    tests/harness/guest_rows.sh "$results" 'vm intree: selftests' "$kernel_name" --cpus 2 --files "$files" \
        -- sh /start
}

kernel=$(vm/fetch-kernel.sh "$kernel_name") || fail "no kernel $kernel_name"
case " ${parts[*]} " in
*' selftests '*) (selftests) & ;;
esac
case " ${parts[*]} " in
*' rows '*) (rows) & ;;
' selftests ') ;;
*) (rows "${parts[@]}") & ;;
esac
wait
