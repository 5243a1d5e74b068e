# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# Arguments, call by call: shapes.ko (tests/vm/shapes) has functions of every shape, which write down
# what they are called with; BPF programs at their sites must see the same. The shapes are looked for
# in the module as the kernel's compiler made it.

# ---- what the compiler made ----

functions=$(sed -n 's/^\tSHAPE(\([a-z_]*\), .*/shape_\1/p' tests/vm/shapes/shapes.h)

# lookup FUNCTION: its sites, one a line, from the files $lookup.
lookup() { build/release/btf-extra lookup "shape_$1" "${lookup[@]}" | grep '^  \.'; }

# occurs WHAT COUNT FUNCTION PATTERN: that many sites of the function match, 'some' at least one.
occurs() {
    local sites count
    sites=$(lookup "$3")
    count=$(grep -c -E -e "$4" <<<"$sites")
    if [ "$count" = "$2" ] || { [ "$2" = some ] && [ "$count" -gt 0 ]; }; then
        passed "occurs: $1"
    else
        echo "$sites"
        failed "occurs: $1"
    fi
}

# A value that is narrower than its register is written with its type. $r is any register, $a an argument's.
# ftrace may have the first 8 bytes of a function, which begins after them in DWARF.
all_occur() {
    local r sp a large eight fourteen
    case $arch in
    amd64)
        r='%r[a-z0-9]+' sp='%rsp' a=(%rdi %rsi %rdx %rcx)
        large=' large=<not available.*  value=%rdi$'
        eight=' g=\*\(%rsp\+0x8\):s32  h=\*\(%rsp\+0x10\)$'
        fourteen=' m=\*\(%rsp\+0x38\):s16  n=\*\(%rsp\+0x40\)$'
        ;;
    arm64)
        r='x[0-9]+' sp='sp' a=(x0 x1 x2 x3)
        large=' large=<not available.*  value=x1$'
        eight=' g=x6:s32  h=x7$'
        fourteen=' m=\*\(sp\+0x20\):s16  n=\*\(sp\+0x28\)$'
        ;;
    esac
    occurs 'a register' 1 register " value=$r\$"
    occurs 'a register and an offset' 1 offset " at=$r\+0x18\$"
    occurs 'the stack' 1 stack " value=\\*\\(${sp}[^ ]*\\)\$"
    occurs 'a constant' 1 constant ' value=0x1122334455667788$'
    occurs 'a pair' 1 pair " pair=$r:$r\$"
    occurs 'signed, 1 to 8 bytes' 1 signed " a=$r:s8  b=$r:s16  c=$r:s32  d=$r\$"
    occurs 'unsigned, 1 to 8 bytes' 1 unsigned " a=$r:u8  b=$r:u16  c=$r:u32  d=$r\$"
    occurs 'bool, enums, pointer' 1 kinds " flag=$r:u8  big=$r:u32  small=$r:s32  pointer=$r\$"
    occurs 'struct in a register' 1 structs " small=$r  "
    occurs 'struct of more than 16 bytes' 1 structs ' large=<not available: size>$'
    occurs 'inlined 128 times' 128 many ' inline .* value=.*  number=0x'
    occurs 'nested at one address' 1 inner \
        "^  $(lookup outer | awk '{ print $1 }' | sed 's/[.+]/\\&/g') "
    occurs 'in a loop' 1 in_loop ' inline call_in_loop'
    occurs 'in a cold part' 1 cold ' inline cold_path'
    occurs 'a parameter that is gone' 1 eliminated " value=$r  unused=<not available"
    occurs 'eight, inlined' 1 eight " inline .*$r\\+0x6:s32"
    occurs 'fourteen, inlined' 1 fourteen ' inline .* n=0xd$'
    occurs 'signed, of a body' 1 signed_body " body .* a=${a[0]}:s8  b=${a[1]}:s16  c=${a[2]}:s32  d=${a[3]}\$"
    occurs 'structs, of a body' 1 structs_body " body .* small=${a[0]}  pair=${a[1]}:${a[2]}  other=${a[3]}:u32"
    occurs 'a large struct before another' 1 large_body "$large"
    occurs 'eight, of a body' 1 eight_body "$eight"
    occurs 'fourteen, of a body' 1 fourteen_body "$fourteen"
    occurs '.isra' 1 clone " body .*\\.isra\\.0\\+0x[08]  at=<not .*  value=${a[1]}\$"
    occurs '.constprop' 1 fixed " body .*\\.constprop\\.0\\+0x[08]  value=${a[0]}  fixed=0x4d\$"
    occurs 'inlined here' 1 both ' inline '
    occurs 'called there' 1 both ' body '
    occurs 'partially inlined: the early return' 16 part ' inline '
    occurs 'partially inlined: the rest' some part 'shape_part.part.0\+0x[08]'
    occurs 'a loop of its own' 1 own_loop ' inline '
}

# Each step_<name>() of shapes_steps.h has its site at the instruction that it is about.
steps_occur() {
    local shapes=$modules/tests/vm/shapes/shapes.ko code count=0 name text place wrong=''
    code=$("${CROSS_COMPILE:-}objdump" -d --no-show-raw-insn "$shapes" | sed 's/ *\/\/.*//' | tr -s ' \t' ' ')
    while IFS='"' read -r name text _; do
        place=$(build/release/btf-extra lookup "step_${name% }" "${lookup[@]}" |
            sed -n 's/^  \.text+0x\([0-9a-f]*\) inline .*/\1/p')
        text=${text//%%/%}
        text=${text%%\\n*}
        # A label or a function follows.
        text=${text%4f*} text=${text%shapes_called}
        grep -qF " $place: $text" <<<"$code" || wrong+=" $name"
        count=$((count + 1))
    done < <(printf '%s\n' '#include "tests/vm/shapes/shapes_steps.h"' '#define ROW(name, text) name text' \
        'STEPS(ROW, ROW, ROW, ROW, ROW)' | "${CROSS_COMPILE:-}gcc" -E -P -I. - | tail -n 1 | sed 's/" /"\n/g')
    if [ "$count" -ge 5 ] && [ -z "$wrong" ]; then
        passed 'occurs: each step at its instruction'
    else
        echo "$count steps, elsewhere:$wrong"
        failed 'occurs: each step at its instruction'
    fi
}

prepare() {
    tests/vm/shapes/prepare.sh "$kernel" "$files" "$modules" || return
    local lookup=(--tables "$files"/shapes/btf_extra/*/shapes.btf_extra --vmlinux "$modules/vmlinux"
        --module "$modules/tests/vm/shapes/shapes.ko")
    all_occur
    steps_occur
    # shellcheck disable=SC2086  # a list of words
    tests/vm/shapes/expected_sites.py build/release/btf-extra "${lookup[@]}" -- $functions \
        >"$files/shapes/sites" && cp "$built"/vm/shapes/{shapes,phantom}.bpf.o "$files" &&
        vm/add-program.sh "$files" "$built"/vm/shapes/shapes_guest
}
