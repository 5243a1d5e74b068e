#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# build.sh and tree.sh share this, and source it with the folder of the sources in top.
#
#   list_sources        the C sources and their Kbuild files, as seen from the top
#   update_copy FOLDER LIST [link]
#                       reads lines "SOURCE DESTINATION", as seen from the top and from FOLDER; makes
#                       each destination a copy, or a link to its source, and removes what was in
#                       the LIST of an earlier run and is no more
#
# Only changed files are written, so that make builds nothing else. They are written by rename, because
# another folder may share the file.

list_sources() (
    cd "${top:?}" || exit 1
    for folder in kernel include tests/core; do
        [ ! -d "$folder" ] || find "$folder" -type f \( -name '*.[chS]' -o -name Kbuild \
            -o -name Kconfig -o -name .gitignore \) ! -name '*.mod.c'
    done | LC_ALL=C sort
)

update_copy() {
    local folder=$1 list=$2 link=${3:-} from to
    : >"$list.new"
    while read -r from to; do
        echo "$to" >>"$list.new"
        from=$top/$from to=$folder/$to
        if [ -n "$link" ]; then
            [ "$(readlink "$to")" != "$from" ] || continue
        else
            [ -L "$to" ] || ! cmp -s "$from" "$to" || continue
        fi
        mkdir -p "$(dirname "$to")"
        if [ -n "$link" ]; then ln -sf "$from" "$to.new"; else cp "$from" "$to.new"; fi
        mv "$to.new" "$to"
    done
    LC_ALL=C sort -o "$list.new" "$list.new"
    if [ -e "$list" ]; then
        LC_ALL=C comm -23 "$list" "$list.new" | while read -r to; do
            rm -f "$folder/$to"
        done
    fi
    mv "$list.new" "$list"
}
