# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash
# Completion of btf-extra for bash. Subcommands, options and their values are those of --help.

# _btf_extra_words WHAT OPTION: reads what --help prints; WHAT is subcommands, options or values.
_btf_extra_words() {
    awk -v what="$1" -v option="$2" '
        what == "subcommands" && section == "Subcommands:" && NF { print $1 }
        /^[A-Z]/ { section = $1 }
        /^ +(-[a-zA-Z],)?--/ {
            name = $1
            sub(/.*,/, "", name)
            if (what == "options") print name
            # as in: --format ENUM:value in {perf->1,tracefs->0}
            if (what == "values" && name == option && match($0, /\{[^}]*\}/)) {
                n = split(substr($0, RSTART + 1, RLENGTH - 2), values, ",")
                for (i = 1; i <= n; i++) {
                    sub(/->.*/, "", values[i])
                    print values[i]
                }
            }
        }'
}

_btf_extra() {
    local command=$1 word=$2 before=$3 subcommand='' words=''
    [ "$COMP_CWORD" -gt 1 ] && subcommand=${COMP_WORDS[1]}
    if [ -z "$subcommand" ]; then
        words=$("$command" --help 2>/dev/null | _btf_extra_words subcommands)
        [[ $word != -* ]] || words='--help --version'
    elif [[ $before == --* ]]; then
        words=$("$command" "$subcommand" --help 2>/dev/null | _btf_extra_words values "$before")
    fi
    if [ -z "$words" ] && [[ $word == -* ]]; then
        words=$("$command" "$subcommand" --help 2>/dev/null | _btf_extra_words options)
    fi
    # Without words, the shell completes names of files.
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o bashdefault -o default -F _btf_extra btf-extra
