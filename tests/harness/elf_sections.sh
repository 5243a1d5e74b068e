#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# Other scripts source this.

# has_sections FILE NAME-AND-FLAGS...: allocated ones have flag A, as in '.BTF A'.
has_sections() {
    local file=$1 section sections
    sections=$(readelf -SW "$file" | sed -n 's/^ *\[ *[0-9]*\] //p' |
        awk '{ print $1 ($7 ~ /A/ ? " A" : "") }')
    shift
    for section; do
        grep -qxF -e "$section" <<<"$sections" || { echo "$file: no $section"; return 1; }
    done
}
