#!/bin/sh
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# For the CI of a tool: fails if a program of it misses calls, or does not attach, on one of the kernels whose
# tables a web server has. `btf-extra firmware --by-build-id --kernel-files` makes the tree that it serves.
#
#   audit.sh URL KERNELS TARGET...      KERNELS: a file; the first word of each line is a build-id
#
# TARGET and options are those of `btf-extra audit`. Tables are downloaded once: keep $TABLES_CACHE between runs.
set -eu
url=$1 kernels=$2
shift 2
cache=${TABLES_CACHE:-$HOME/.cache/btf-extra-tables}
while read -r id _; do
    case $id in '' | '#'*) continue ;; esac
    mkdir -p "$cache/$id"
    for file in vmlinux.btf_extra.elf vmlinux.btf System.map version; do
        if [ ! -e "$cache/$id/$file" ]; then
            curl -fsS -o "$cache/$id/$file.part" "$url/$id/$file"
            mv "$cache/$id/$file.part" "$cache/$id/$file"
        fi
    done
    set -- "$@" --kernel "$cache/$id"
done <"$kernels"
exec btf-extra audit "$@"
