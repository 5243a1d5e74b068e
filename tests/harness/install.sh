#!/usr/bin/env bash
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# `make install` into a folder, and what a user builds against it: the example, only with pkg-config, and BPF
# programs with btf_loc.bpf.h for both architectures.
#
#   install.sh RESULTS     adds "pass NAME" and "fail NAME" lines to that file
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

results=$1 test=install
# shellcheck source=tests/harness/rows.sh
. tests/harness/rows.sh
scratch=$(mktemp -d "${TMPDIR:-/tmp}/install.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/usr

plain_make() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory "$@"; }

# The build uses the user's settings and does not replace them.
user_settings() {
    local said used
    said=$(plain_make -Bn V=1 userspace WERROR= CC=user-cc CXX=user-cxx CLANG=user-clang \
        LLVM_STRIP=user-strip CPPFLAGS=-Duser_cpp CFLAGS=-Duser_c CXXFLAGS=-Duser_cxx \
        LDFLAGS=-Luser_ld) || return
    for used in user-cc user-cxx user-clang user-strip -Duser_cpp -Duser_c -Duser_cxx -Luser_ld; do
        grep -q -e "$used" <<<"$said" || { echo "not used: $used"; return 1; }
    done
    ! grep -E -e '(^|[ /])(gcc|g\+\+|clang-?[0-9]*|llvm-strip-?[0-9]*) |-Werror|-O2 -g -MMD' <<<"$said"
}
row "the user's compilers and flags" user_settings

row 'make install' plain_make install "PREFIX=$prefix" || exit 1
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig

exports_only_its_api() {
    local names
    names=$(nm -D --defined-only "$prefix/lib/libbtf_extra.so" | awk '$2 != "A" { print $3 }') &&
        grep -q '^btf_extra_open@' <<<"$names" && ! grep -v '^btf_extra_' <<<"$names"
}
row 'the shared library exports the C API and nothing else' exports_only_its_api

cp -r userspace/examples "$scratch/example"
version=$(sed -n 's/^#define BTF_EXTRA_VERSION "\(.*\)"/\1/p' kernel/core/version.h)
one_version() {
    local soname
    soname=$(readelf -d "$prefix/lib/libbtf_extra.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p') &&
        [ -n "$version" ] && [ "$soname" = "libbtf_extra.so.${version%.*}" ] &&
        [ "$(pkg-config --modversion libbtf_extra)" = "$version" ] &&
        [ "$("$prefix/bin/btf-extra" --version)" = "btf-extra $version" ]
}
row 'command, library and pkg-config have one version' one_version

answers_as_addr2line() { [ "$("$prefix/bin/btf-extra-addr2line" --json 2>&1 | head -n 1)" = '--json excludes --addr2line' ]; }
row 'the link for tools that run addr2line' answers_as_addr2line

# generate starts itself again, with large pages. Its message shows that it came to its work.
refuses_passwd() {
    local said
    said=$("$@" generate /etc/passwd 2>&1)
    [ "$?: ${said%%;*}" = '1: btf-extra: /etc/passwd: ELF header: not an ELF file' ] || { echo "$said"; return 1; }
}
row 'generate, by the loader' refuses_passwd "$(readelf -l "$prefix/bin/btf-extra" |
    sed -n 's/.*interpreter: \(.*\)]/\1/p')" "$prefix/bin/btf-extra"

row 'the example, by pkg-config' plain_make -C "$scratch/example" CLANG=clang-14 CFLAGS=-Werror
starts() { ! LD_LIBRARY_PATH=$prefix/lib ldd -r "$1" | grep -E 'not found|undefined'; }
row 'the example finds its library' starts "$scratch/example/kloc"
linked_statically() {
    # shellcheck disable=SC2046  # a list of words
    gcc -o "$scratch/static" $(pkg-config --cflags libbtf_extra) "$scratch/example/kloc.c" \
        "$prefix/lib/libbtf_extra.a" $(pkg-config --libs libbpf) -ldw -lelf -lfmt -lz -lzstd -lstdc++
}
row 'the example, with the static library' linked_statically

# Once with the headers of userspace, once with all types of a kernel.
cat >"$scratch/types.c" <<'END'
#ifdef WITH_VMLINUX
#include "vmlinux.h"
#else
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/btf_extra.h>
_Static_assert(sizeof(struct btf_extra_arg) == 24, "as struct btf_loc_arg");
#endif
#include <bpf/btf_loc.bpf.h>

struct two { __u64 first, second; } two;
__u64 sum;
unsigned char byte;

SEC("kloc/vmlinux:foo")
int BPF_KLOC(on_foo, void *p, int i, unsigned char c, long d, long e, long f, long g, long h,
	     long j, long k, long l, long m)
{
	sum = (__u64)p + i + c + d + e + f + g + h + j + k + l + m;
	sum += bpf_loc_ip(ctx) + bpf_loc_cookie(ctx);
	return bpf_loc_arg(ctx, 0, &two) + bpf_loc_arg(ctx, 1, &byte);
}

SEC("kloc/vmlinux:bar")
int BPF_KLOC(on_bar)
{
	return 0;
}
END
compiled_for() {
    clang-14 -target bpf "-D__TARGET_ARCH_$1" ${2:+"$2"} -g -O2 -Wall -Wextra \
        -Wno-unused-parameter -Werror -Wno-missing-declarations "-I$prefix/include" "-I$scratch" \
        "-I/usr/include/$(gcc -print-multiarch)" -c -o "$scratch/types.$1.o" "$scratch/types.c"
}
for arch in x86 arm64; do
    row "btf_loc.bpf.h with <linux/bpf.h>, $arch" compiled_for $arch
done
if [ -r /sys/kernel/btf/vmlinux ]; then
    bpftool btf dump file /sys/kernel/btf/vmlinux format c >"$scratch/vmlinux.h"
    for arch in x86 arm64; do
        row "btf_loc.bpf.h with vmlinux.h, $arch" compiled_for $arch -DWITH_VMLINUX
    done
else
    add_row skip 'btf_loc.bpf.h with vmlinux.h: this kernel has no BTF'
fi

# ---- manual pages and completion ----

share=$prefix/share
lint() {
    local said
    # Its exit code is about all that it says, and so about what is left out here.
    said=$(mandoc -T lint "$share"/man/man[13]/* 2>&1 | grep -v 'referenced manual not found\|mandoc.db')
    [ -z "$said" ] || { echo "$said"; return 1; }
}
row 'the manual pages, by mandoc' lint

# libbtf_extra(3) must describe exactly what the library exports.
describes_api() {
    diff <(sed -n 's/^\.F[no] \(btf_extra_[a-z_]*\).*/\1/p' "$share/man/man3/libbtf_extra.3" | sort -u) \
        <(nm -D --defined-only "$prefix/lib/libbtf_extra.so" |
            sed -n 's/.* T \(btf_extra_[a-z_]*\).*/\1/p' | sort -u)
}
row 'libbtf_extra(3) has every function' describes_api

PATH=$prefix/bin:$PATH
subcommands() { btf-extra --help | sed '1,/^Subcommands:/d' | awk 'NF { print $1 }'; }
options() { btf-extra "$1" --help | grep -oE '^ +(-[a-zA-Z],)?--[a-z0-9-]+' | grep -oE -e '--.*'; }

# described SUBCOMMAND: its options in the synopsis of btf-extra(1).
page=$share/man/man1/btf-extra.1
described() {
    awk -v wanted="$1" '
        /^\.Sh/ { synopsis = $2 == "SYNOPSIS" }
        $1 == ".Cm" { subcommand = $2 }
        synopsis && $1 == ".Op" && subcommand == wanted {
            for (i = 3; i <= NF; i++)
                if ($i ~ /^-/)
                    print "-" $i
        }' "$page"
}
describes_command() {
    local subcommand
    diff <(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/s/^\.Cm //p' "$page") <(subcommands) || return
    for subcommand in $(subcommands); do
        echo "$subcommand"
        diff <(described "$subcommand" | sort) \
            <(options "$subcommand" | grep -vx -e --help | sort) || return
    done
    echo 'with a text of its own'
    diff <(for subcommand in $(subcommands); do described "$subcommand"; done | sort -u) \
        <(grep '^\.It' "$page" | grep -oE 'Fl -[a-z0-9-]+' | sed 's/Fl /-/' | sort -u)
}
row 'btf-extra(1) has every subcommand and every option' describes_command

# completed SHELL WORD...: what the shell offers for the last of these words after btf-extra.
completed() {
    case $1 in
    bash)
        bash -c '. "$0"/bash-completion/completions/btf-extra
            COMP_WORDS=(btf-extra "$@") COMP_CWORD=$#
            _btf_extra btf-extra "${!#}" "${COMP_WORDS[$# - 1]}"
            printf "%s\n" "${COMPREPLY[@]}"' "$share" "${@:2}"
        ;;
    zsh)
        # The system of completion would offer this: here it is printed.
        zsh -fc 'share=$0
            complete() { . "$share"/zsh/site-functions/_btf-extra }
            _call_program() { "${@[2,-1]}" }
            compadd() { print -l -- "${(@P)2}" }
            _describe() { print -l -- "${(@)${(@P)2}%%:*}" }
            _files() { }
            words=(btf-extra "$@") CURRENT=${#words} PREFIX=$words[-1]
            complete | grep -e "^$PREFIX"' "$share" "${@:2}"
        ;;
    esac
}
completes() {
    local subcommand
    diff <(completed "$1" '' | sort) <(subcommands | sort) || return
    for subcommand in $(subcommands); do
        diff <(completed "$1" "$subcommand" --) <(options "$subcommand") || return
    done
    [ "$(completed "$1" lo)" = lookup ] && [ "$(completed "$1" trace --dur)" = --duration ] &&
        [ "$(completed "$1" probes --format p)" = perf ] && [ "$(completed "$1" stat x)" = '' ]
}
row 'bash completes subcommands, options and values' completes bash
row 'zsh completes subcommands, options and values' completes zsh
