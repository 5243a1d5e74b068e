# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=sh disable=SC2086  # $loader is a list of words
# The command in a guest that has libcurl and libdebuginfod, which it loads when it needs them; to be
# sourced, after rows.sh.

loader='/servers/ld.so --library-path /servers'
btf_extra() { $loader /bin/btf-extra "$@"; }

# Some words differ from run to run.
plain() {
    sed 's,\.btf_extra\.[^/]*/,HIDDEN/,; s/[0-9.]* MB/N MB/; s/after [0-9]* ms/after N ms/' \
        /tmp/said /tmp/told
}

# does NAME WANTED ARGUMENT...: the exit code, and all that the command says.
does() {
    name=$1 wanted=$2
    shift 2
    btf_extra "$@" >/tmp/said 2>/tmp/told
    same "$name" "$wanted" "$? $(plain)"
}
