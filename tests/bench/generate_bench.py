#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The project's bars, measured on a real kernel against pahole and a bare walk by libdw.

usage: generate_bench.py VMLINUX

Each command runs ROUNDS times, in turns with the others, and its best run counts: what is compared
was measured side by side on the same machine. The gain of two threads is the median of PAIRS runs of
each, in turns; printed beside it is what two processes gain, each with work of its own: as much as
the machine has to give. Exit 1 if a bar was missed.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

from bars import bar, conclude, same
from usage import OUT, in_turns, measure

ROUNDS = int(os.environ.get("BTF_EXTRA_BENCH_ROUNDS", "3"))
PAIRS = 4 * ROUNDS - 1
COMMAND = "build/release/btf-extra"
BENCH = pathlib.Path("build/release/bench")


def busy_seconds():
    """CPU time that all processes have had so far."""
    user, nice, system, _, _, *interrupts = map(
        int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def at_once(commands):
    """Wall time of these commands side by side, each with a processor of its own."""
    start = time.monotonic()
    children = [subprocess.Popen(["taskset", "-c", str(processor), *command],
                                 stdin=subprocess.DEVNULL)
                for processor, command in zip(sorted(os.sched_getaffinity(0)), commands)]
    if any([child.wait() for child in children]):
        sys.exit("generate_bench: one of two processes at once failed")
    return time.monotonic() - start


def two_threads(one, two):
    """Wall time of -j1 over -j2, and what two processes gain at the best."""
    copy = [str(OUT / "copy.btf_extra") if word.endswith("j1.btf_extra") else word for word in one]
    gains, limits, others = [], [], []
    for _ in range(PAIRS):
        busy, start = busy_seconds(), time.monotonic()
        (single, _), (double, _) = measure(one), measure(two)
        own = single.cpu + double.cpu
        others.append((busy_seconds() - busy - own) / (time.monotonic() - start))
        gains.append(single.wall / double.wall)
        limits.append(2 * single.wall / at_once([one, copy]))
    bar("wall time, -j1 over -j2 (on two free processors)", statistics.median(gains), 1.6,
        at_least=True)
    print(f"        in single pairs {' '.join(f'{gain:.2f}' for gain in sorted(gains))}")
    print(f"        what two processes gain here {statistics.median(limits):39.4g}")
    print(f"        processors that others had meanwhile {max(0, statistics.median(others)):31.2f}")


def generator(vmlinux):
    one, two = OUT / "j1.btf_extra", OUT / "j2.btf_extra"
    commands = {
        "generate -j1": [COMMAND, "generate", "-j", "1", "-o", str(one), vmlinux],
        "pahole -J -j1": ["pahole", "-J", "-j1", f"--btf_encode_detached={OUT / 'pahole.btf'}",
                          vmlinux],
        "generate -j2": [COMMAND, "generate", "-j", "2", "-o", str(two), vmlinux],
        "libdw walk": [str(BENCH / "libdw_walk"), vmlinux],
    }
    used, outputs = in_turns(commands, ROUNDS)
    walked = dict(re.findall(r"(\w+)=(\d+)", outputs["libdw walk"].decode()))

    print(f"Best of {ROUNDS} runs each, in turns; times of a shared machine mean little by themselves")
    for name, usage in used.items():
        print(f"        {name:16} {usage.cpu:7.2f} s CPU {usage.wall:7.2f} s wall {usage.peak:7.0f} MiB")
    j1, j2, pahole, walk = (used[n] for n in ("generate -j1", "generate -j2", "pahole -J -j1",
                                              "libdw walk"))
    print("Generator")
    bar("CPU, -j1, of pahole's", j1.cpu / pahole.cpu, 0.5)
    bar("peak memory, -j1, of pahole's", j1.peak / pahole.peak, 1)
    if len(os.sched_getaffinity(0)) >= 2:
        two_threads(commands["generate -j1"], commands["generate -j2"])
    print(f"        CPU, -j1, of the libdw walk's {j1.cpu / walk.cpu:39.4g}")
    print(f"        peak memory, -j2, of pahole's {j2.peak / pahole.peak:39.4g}")
    same("-j2 writes the bytes of -j1", str(one.read_bytes() == two.read_bytes()), "True")

    stat = json.loads(measure([COMMAND, "stat", str(one), "--json"])[1])
    print("What it writes")
    bar("both blobs, bytes a site", stat["bytes_per_site"], 21)
    bar("inlined sites with all parameters",
        100 * stat["inline_sites_all_params"] / stat["inline_sites"], 79, " %", at_least=True)
    same("inlined instances, as libdw counts them", stat["inline_instances"],
         int(walked["inlined"]))
    return one


def core(vmlinux, file):
    """Google Benchmark on the real data, with a bar for what has one."""
    environment = dict(os.environ, BTF_EXTRA_VMLINUX=vmlinux, BTF_EXTRA_FILE=str(file))
    report = OUT / "core_bench.json"
    print("Core, and for comparison plain arrays under std::lower_bound and linear scans", flush=True)
    subprocess.run([str(BENCH / "core_bench"), f"--benchmark_out={report}",
                    "--benchmark_out_format=json", "--benchmark_counters_tabular=true"],
                   env=environment, check=True, stderr=subprocess.DEVNULL)
    to_ns = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    benchmarks = json.loads(report.read_text())["benchmarks"]
    nanoseconds = {b["name"]: b["cpu_time"] * to_ns[b["time_unit"]] for b in benchmarks}
    counters = {b["name"]: b for b in benchmarks}
    bar("validate and index", nanoseconds["validate_and_index"] / 1e6, 60, " ms")
    for what in ("address", "name", "id"):
        bar(f"look-up by {what}", nanoseconds[f"by_{what}/index"] / 1e3, 1, " us")


def main():
    if len(sys.argv) != 2 or not os.path.exists(sys.argv[1]):
        sys.exit("usage: generate_bench.py VMLINUX")
    core(sys.argv[1], generator(sys.argv[1]))
    conclude()


if __name__ == "__main__":
    main()
