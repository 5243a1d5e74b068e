# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash
# The files of results that the steps of a check leave in a folder; to be sourced. A line of them is
# a row, as rows.sh has it.
#
#   begin_results OUT     an empty OUT with folders results, logs and scratch
#   count WORD FILE...    the rows that begin with the word
#   summary FILE...       "N passed, N failed, N skipped"
#   end_results OUT       names what failed and what was skipped; the summary is the last line. Fails
#                         if a row did, or if none passed

begin_results() {
    rm -rf "$1"
    mkdir -p "$1"/{results,logs,scratch}
}

count() { cat "${@:2}" 2>/dev/null | grep -c "^$1 "; }

summary() { echo "$(count pass "$@") passed, $(count fail "$@") failed, $(count skip "$@") skipped"; }

end_results() {
    cat "$1"/results/* 2>/dev/null | sed -n 's/^fail /Failed: /p; s/^skip /Skipped: /p' | LC_ALL=C sort
    summary "$1"/results/*
    [ "$(count fail "$1"/results/*)" = 0 ] && [ "$(count pass "$1"/results/*)" != 0 ]
}
