# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# The modules, their data and /dev/btf_extra, of vmlinux and of a module that comes and goes.

section() {
    local objcopy=${CROSS_COMPILE:-}objcopy
    "$objcopy" --dump-section "$2=$3" "$1" /dev/null 2>/dev/null ||
        "$objcopy" -O binary --only-section="$2" --set-section-flags "$2=alloc" "$1" "$3"
}
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

# A copy of a .btf_extra file with one word of a section changed.
with_word() {
    local at
    at=$(readelf -SW "$1" | sed 's/\[ */[/' | awk -v name="$2" '$2 == name { print $5 }')
    cp "$1" "$4"
    printf '\1\2\3\4' | dd of="$4" bs=1 seek=$((16#$at + $3)) conv=notrunc status=none
}

prepare() {
    local sample=$modules/tests/vm/sample/btf_extra_sample.ko
    cp "$modules/kernel/data/types.bin" "$files"
    section "$files/vmlinux.btf_extra" .BTF.func_info "$files/func_info.bin"
    with_word "$files/vmlinux.btf_extra" .btf_extra.base 4 "$files/wrong_base.btf_extra"
    with_word "$files/vmlinux.btf_extra" .note.gnu.build-id 16 "$files/wrong_build_id.btf_extra"

    build/release/btf-extra generate --vmlinux "$modules/vmlinux" -o "$files/sample.btf_extra" \
        "$sample" || return
    # A distribution ships it so.
    "${CROSS_COMPILE:-}"strip -g -o "$files/btf_extra_sample.ko" "$sample"
    build_id "$sample" >"$files/sample.build_id"
    # A build-id has 20 bytes where nobody asks the linker for another one.
    printf '\4\0\0\0\10\0\0\0\3\0\0\0GNU\0\1\2\3\4\5\6\7\10' >"$files/note" &&
        "${CROSS_COMPILE:-}"objcopy --update-section .note.gnu.build-id="$files/note" "$sample" \
            "$files/short_id.ko" && rm "$files/note" &&
        build/release/btf-extra generate --vmlinux "$modules/vmlinux" -o "$files/short_id.btf_extra" \
            "$files/short_id.ko" && "${CROSS_COMPILE:-}"strip -g "$files/short_id.ko" || return
    cp "$modules/tests/vm/hello/hello.ko" "$files/hello.ko"
    build/release/btf-extra stat "$files/sample.btf_extra" --json |
        sed -n 's/^ *"sites": \([0-9]*\),/\1/p' >"$files/sample.sites"
    section "$files/sample.btf_extra" .BTF.func_info "$files/sample.func_info"
    [ "$kernel" != 6.1 ] || add_debian_modules || return
    # A question takes twenty times as long under KASAN. The other kernels are asked all.
    echo 1 >"$files/every"
    [[ $kernel != lean* ]] || echo 8 >"$files/every"
    vm/add-program.sh "$files" "$built"/vm/{running_compare,running_access,query_stress,object_list}
}

# Debian's own modules, as installed, and the folder that "btf-extra firmware" makes for them.
add_debian_modules() {
    local debug installed module
    debug=$(vm/fetch-modules.sh 6.1-cloud-amd64 xfs tcp_bbr) || return
    installed=$(vm/fetch-kernel.sh 6.1)/modules
    mkdir -p "$files/debian" "$files/firmware"
    for module in libcrc32c xfs tcp_bbr; do
        cp "$(find -L "$installed" -name "$module.ko" -print -quit)" "$files/debian" || return
    done
    mkdir "$files/firmware/in" &&
        find "$debug/usr" \( -name xfs.ko -o -name tcp_bbr.ko \) \
            -exec cp {} "$files/firmware/in" \; &&
        build/release/btf-extra firmware -o "$files/firmware/out" --vmlinux "$modules/vmlinux" \
            "$files/firmware/in" && rm -r "$files/firmware/in"
}
