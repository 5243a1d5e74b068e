# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# btf_extra.ko is asked from within the kernel: by another module, through the exported functions
# (tests/vm/api), and by BPF programs, through the kfuncs (tests/vm/kfuncs). The answers are those of
# /dev/btf_extra. All three are asked, too, which functions an address is in (tests/vm/frames). And
# stock libbpf and bpftool find our functions by name.

# The chain of each byte of .text of a module, in the form of frames_guest, as binutils have it. Their
# line of a frame is where the one before it is called from. After the end of a function they go on
# with it, so the symbols tell where there is one; on arm64 GCC 12 has it begin after its hook.
chains_of() {
    local number size inside begins
    read -r number size < <(readelf -SW "$1" | tr '[]' ' ' | awk '$2 == ".text" { print $1, $6 }')
    begins=" $(readelf --debug-dump=info "$1" | sed -nE 's/.*DW_AT_low_pc *: (0x)?//p' | xargs) "
    inside=$(readelf -sW "$1" |
        awk -v number="$number" '$4 == "FUNC" && $7 == number && !/ __pfx_/ { print $2, $3 }' |
        while read -r value bytes; do
            hook=8
            [[ "$begins" != *" $(printf %x $((16#$value))) "* ]] || hook=0
            seq $((16#$value + hook)) $((16#$value + bytes - 1))
        done | sort -u)
    seq 0 $((16#$size - 1)) | grep -vxF "$inside" | xargs printf '0x%x\n'
    echo "$inside" | xargs printf '%x\n' | "${CROSS_COMPILE:-}"addr2line -e "$1" -j .text -a -f -i | awk '
        function flush() { if (offset != "") print offset chain }
        /^0x/ { flush(); offset = $1; chain = ""; nr = 0; next }
        !named { name = $1; named = 1; next }
        {
            named = 0
            sub(/ .*/, ""); sub(/.*\//, "")
            if (/^\?\?/) next
            chain = chain (nr++ ? " " $0 : "") " " name
        }
        END { flush() }'
}

prepare() {
    local sample=$modules/tests/vm/sample/btf_extra_sample.ko bpftool=bpftool
    [ "$arch" = amd64 ] || bpftool=$(vm/fetch-sysroot.sh "$arch")/usr/sbin/bpftool
    mkdir "$files/frames" &&
        build/release/btf-extra generate --vmlinux "$modules/vmlinux" \
            -o "$files/frames/btf_extra_sample.btf_extra" "$sample" &&
        "${CROSS_COMPILE:-}"strip -g -o "$files/frames/btf_extra_sample.ko" "$sample" &&
        readelf -n "$sample" | sed -n 's/.*Build ID: /btf_extra_sample /p' >"$files/frames/manifest" &&
        chains_of "$sample" >"$files/frames/chains" &&
        cp "$modules/tests/vm/api/api_test.ko" "$built"/vm/{kfuncs/kfuncs,frames/frames}.bpf.o \
            "$files" &&
        vm/add-program.sh "$files" "$built"/vm/{api/api,kfuncs/kfuncs,frames/frames}_guest "$bpftool"
}
