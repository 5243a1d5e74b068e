# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
# shellcheck shell=bash disable=SC2154  # vm_suites.sh sets kernel, files and modules
# The kernel's own selftests of attaching to functions say on the patched kernel, without btf_extra and
# with it, what they say on the kernel as it was (tests/vm/selftests).
prepare() {
    mkdir "$files/selftests" &&
        tests/vm/selftests/build.sh "$kernel" "$files/selftests" &&
        vm/add-program.sh "$files" "$files/selftests/selftests" && rm "$files/selftests/selftests" &&
        cp tests/vm/selftests/unpatched.txt "$files/selftests"
}
