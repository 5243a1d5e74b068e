# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The resources of a run of a command."""

import collections
import os
import pathlib
import subprocess
import sys
import time

OUT = pathlib.Path("build/bench")

Usage = collections.namedtuple("Usage", "cpu wall peak")  # s, s, MiB


def measure(command, stdin=os.devnull):
    """Usage and standard output of one run, which must succeed."""
    OUT.mkdir(parents=True, exist_ok=True)
    with open(OUT / "stdout", "w+b") as stdout, open(stdin, "rb") as text:
        start = time.monotonic()
        child = subprocess.Popen(command, stdin=text, stdout=stdout)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit code {child.returncode}")
        stdout.seek(0)
        return Usage(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024), stdout.read()


def best(runs):
    """The least of each; of memory the most, which is what a machine must have."""
    return Usage(min(r.cpu for r in runs), min(r.wall for r in runs), max(r.peak for r in runs))


def in_turns(commands, rounds):
    """By name, the best usage and the last standard output of each command."""
    runs, outputs = collections.defaultdict(list), {}
    for _ in range(rounds):
        for name, command in commands.items():
            usage, outputs[name] = measure(command)
            runs[name].append(usage)
    return {name: best(usages) for name, usages in runs.items()}, outputs
