#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Frames: what they cost to generate and to keep, and how fast they answer, beside LLVM's GSYM and
`perf script --inline` of the same kernel.

usage: frames_bench.py VMLINUX TOOLS

TOOLS is the folder of vm/fetch-perf.sh. Both are measured alternately on the same machine.
Exit 1 if a bar was missed.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys

from bars import bar, conclude, note
from perf_data import text_of, write_perf_data
from usage import OUT, in_turns, measure

ROUNDS = int(os.environ.get("BTF_EXTRA_BENCH_ROUNDS", "3"))
COMMAND = "build/release/btf-extra"
BENCH = pathlib.Path("build/release/bench")
GSYM, TABLES = OUT / "vmlinux.gsym", OUT / "lines.btf_extra"

STACKS = 100_000
CALLERS = 10      # in a stack
PLACES = 20_000   # that are in stacks


def generating(vmlinux):
    def command(*options):
        return [COMMAND, "generate", "-j", "1", *options, vmlinux]
    used, _ = in_turns({
        "nothing": command("--no-frames", "-o", str(OUT / "bare.btf_extra")),
        "frames": command("-o", str(OUT / "frames.btf_extra")),
        "lines": command("--lines", "-o", str(TABLES)),
    }, 2 * ROUNDS + 1)
    print("Generating, in CPU time")
    bar("with frames, of without", used["frames"].cpu / used["nothing"].cpu, 1.15)
    bar("with frames and lines, of without", used["lines"].cpu / used["nothing"].cpu, 1.4)
    gsym, _ = measure(["llvm-gsymutil-14", "--convert", vmlinux, "--num-threads=1", "-o", str(GSYM),
                       "--quiet"])
    note("llvm-gsymutil, of generating with frames and lines", gsym.cpu / used["lines"].cpu)
    note("peak memory of generating", used["lines"].peak, " MiB")
    note("peak memory of llvm-gsymutil", gsym.peak, " MiB")


def sizes():
    stat = json.loads(measure([COMMAND, "stat", str(TABLES), "--json"])[1])
    print("Size")
    bar("frames, bytes an inlined instance", stat["bytes_frames"] / stat["frames_instances"], 9)
    bar("lines, bytes a row", stat["bytes_lines"] / stat["line_rows"], 3.7)
    note("frames", stat["bytes_frames"] / 1e6, " MB")
    note("lines", stat["bytes_lines"] / 1e6, " MB")
    note("GSYM, which has frames and lines", GSYM.stat().st_size / 1e6, " MB")


def look_up(vmlinux):
    """The same addresses for all: random ones of .text."""
    numbers = random.Random(1)
    begin, end = text_of(vmlinux)
    drawn = OUT / "addresses"
    drawn.write_text("".join(f"{numbers.randrange(begin, end):#x}\n" for _ in range(STACKS)))
    asked = OUT / "addresses.gsym"
    asked.write_text("".join(f"{line} {GSYM}\n" for line in drawn.read_text().splitlines()))
    nothing = OUT / "nothing"
    nothing.write_text("")

    core = json.loads(subprocess.run(
        [BENCH / "core_bench", "--benchmark_filter=frames/chain", "--benchmark_format=json"],
        env=dict(os.environ, BTF_EXTRA_VMLINUX=vmlinux, BTF_EXTRA_FILE=str(TABLES)), check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    chain = next(b["cpu_time"] for b in core["benchmarks"] if b["name"] == "frames/chain")
    library = int(re.search(rb"ns=(\d+)", measure([BENCH / "gsym_look_up", GSYM], drawn)[1])[1])
    ours = [COMMAND, "symbolize", "--tables", str(TABLES), "--vmlinux", vmlinux, "--addr2line",
            "-a", "-i", "-f"]
    theirs = ["llvm-gsymutil-14", "--addresses-from-stdin"]

    def batch(command, text):
        """The time of one of many addresses, without the start of the program."""
        least = [min(measure(command, path)[0].cpu for _ in range(ROUNDS))
                 for path in (text, nothing)]
        return (least[0] - least[1]) / STACKS * 1e9
    print("Look-up of the chain at a random address")
    bar("a look-up", chain, 500, " ns")
    note("GSYM: a look-up of LLVM's library", library, " ns")
    own, gsym = batch(ours, drawn), batch(theirs, asked)
    note("symbolize --addr2line: a line of text", own, " ns")
    note("llvm-gsymutil: a line of text", gsym, " ns")
    bar("a look-up, of the faster one of GSYM", chain / min(library, gsym), 0.1)


def stacks(vmlinux, perf):
    """As a profile has them: most stacks go through few of the places."""
    numbers = random.Random(2)
    begin, end = text_of(vmlinux)
    places = [numbers.randrange(begin, end) for _ in range(PLACES)]
    chosen = [[places[int(PLACES * numbers.random() ** 3)] for _ in range(CALLERS)]
              for _ in range(STACKS)]
    recorded, printed = OUT / "perf.data", OUT / "perf.script"
    write_perf_data(recorded, (begin, end), chosen)

    def script(*options):
        return [*perf, "script", "-i", str(recorded), "-k", vmlinux, *options]
    used, text = measure(script("--no-inline"))
    printed.write_bytes(text)
    inlined, text = measure(script("--inline"))
    command = [COMMAND, "symbolize", "--tables", str(TABLES), "--vmlinux", vmlinux, "--kaslr", "0"]
    ours = min((measure(command, printed) for _ in range(ROUNDS)), key=lambda run: run[0].wall)
    print(f"{STACKS} stacks of {CALLERS} frames at {PLACES} places")
    note("inlined frames that perf script --inline prints", text.count(b"(inlined)"))
    note("inlined frames that symbolize puts in", ours[1].count(b"(inlined)"))
    note("perf script --no-inline", used.wall, " s")
    note("perf script --inline", inlined.wall, " s")
    note("symbolize", ours[0].wall, " s")
    bar("symbolize, of perf script --inline", ours[0].wall / inlined.wall, 0.01)


def main():
    if len(sys.argv) != 3 or not os.path.exists(sys.argv[1]):
        sys.exit("usage: frames_bench.py VMLINUX TOOLS")
    vmlinux, tools = sys.argv[1:]
    generating(vmlinux)
    sizes()
    look_up(vmlinux)
    stacks(vmlinux, [f"{tools}/ld.so", "--library-path", tools, f"{tools}/perf"])
    conclude()


if __name__ == "__main__":
    main()
