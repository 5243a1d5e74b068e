#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""perf that asks `btf-extra symbolize --addr2line` for inlined functions and lines, against perf that
reads the debug information by itself.

usage: perf_addr2line.py VMLINUX PERF RESULTS

PERF is the folder of vm/fetch-perf.sh. Each of STACKS stacks has CALLERS random addresses of .text,
which the vmlinux of Debian's kernel names and whose lines it knows.
"""

import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "bench"))
from perf_data import text_of, write_perf_data  # noqa: E402

COMMAND = pathlib.Path("build/release/btf-extra").resolve()
WORK = pathlib.Path("build/check/scratch/perf_addr2line").resolve()
STACKS, CALLERS = 1000, 10

# perf's options, and what must be in the text.
READERS = {
    "perf script --inline": (["script", "--inline"], r" \(inlined\)$"),
    "perf report --inline": (["report", "--stdio", "--inline", "-g", "caller", "--percent-limit",
                              "0"], r" \(inlined\)$"),
    "perf report -s srcline": (["report", "--stdio", "--no-children", "-g", "none", "-s",
                                "srcline"], r"^ +[\d.]+%  [\w-]+\.[ch]:[1-9]\d* *$"),
}


def prepare(vmlinux):
    """A vmlinux with its tables beside it, the command as a program called addr2line that tells when
    it is asked, the stacks."""
    WORK.mkdir(parents=True, exist_ok=True)
    for name, target in (("vmlinux", vmlinux), ("btf-extra-addr2line", COMMAND)):
        (WORK / name).unlink(missing_ok=True)
        (WORK / name).symlink_to(target)
    addr2line = WORK / "addr2line"
    addr2line.write_text(f"#!/bin/sh\n: >{WORK}/asked\nexec {WORK}/btf-extra-addr2line \"$@\"\n")
    addr2line.chmod(0o755)
    subprocess.run([COMMAND, "generate", "--lines", vmlinux, "-o", WORK / "vmlinux.btf_extra"],
                   check=True)
    numbers = random.Random(3)
    begin, end = text_of(vmlinux)
    write_perf_data(WORK / "perf.data", (begin, end),
                    [[numbers.randrange(begin, end) for _ in range(CALLERS)]
                     for _ in range(STACKS)])


def read(perf, options, style, addr2line):
    """The output of perf, except its hints, which it draws at random."""
    (WORK / "config").write_text(f"[addr2line]\n\tstyle = {style}\n")
    ran = subprocess.run(
        [perf / "ld.so", "--library-path", perf, perf / "perf", options[0], "-i",
         WORK / "perf.data", "-k", WORK / "vmlinux", f"--addr2line={addr2line}", *options[1:]],
        env=dict(os.environ, PERF_CONFIG=str(WORK / "config")), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False, timeout=300)
    if ran.returncode != 0:
        print(ran.stderr)
    return [line for line in ran.stdout.splitlines() if not line.startswith("# (Tip")]


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: perf_addr2line.py VMLINUX PERF RESULTS")
    vmlinux, perf = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2])
    prepare(vmlinux)
    with open(sys.argv[3], "w", encoding="utf-8") as results:
        def row(name, wrong):
            results.write(f"fail {name}: {wrong}\n" if wrong else f"pass {name}\n")

        for name, (options, pattern) in READERS.items():
            (WORK / "asked").unlink(missing_ok=True)
            ours = read(perf, options, "addr2line", WORK / "addr2line")
            asked = (WORK / "asked").exists()
            theirs = read(perf, options, "libdw", "/bin/false")
            told = sum(bool(re.search(pattern, line)) for line in ours)
            differ = sum(a != b for a, b in zip(ours, theirs)) + abs(len(ours) - len(theirs))
            print(f"{name}: {len(ours)} lines, {told} of what perf asks for, {differ} differ")
            row(f"{name} says with btf-extra what it says with the debug information",
                f"{differ} of {len(ours)} lines differ" if differ or not ours else "")
            row(f"{name} has asked btf-extra", "" if asked and told else f"{told} lines have it")


if __name__ == "__main__":
    main()
