#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The cost of the patched kernel's hook when a fentry program is verified: in one boot, with the
modules loaded and without, in instructions (see vm_bench.py).

usage: verify_bench.py

Exit 1 if the bar was missed or the run failed.
"""

import pathlib
import re
import shutil
import subprocess
import sys

from bars import bar, conclude, note

OUT = pathlib.Path("build/bench/vm/intree")
# The first run does the work that is done only once. The sleep lets the guest's boot finish.
GUEST = """
sleep 20
verify_bench first
verify_bench before
insmod /btf_extra.ko && insmod /btf_extra_vmlinux.ko && verify_bench with &&
rmmod btf_extra_vmlinux btf_extra && verify_bench after
"""


def run():
    shutil.rmtree(OUT, ignore_errors=True)
    (OUT / "files").mkdir(parents=True)
    kernel = pathlib.Path(subprocess.run(["vm/fetch-kernel.sh", "intree"], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout.strip())
    for name in ("btf_extra.ko", "btf_extra_vmlinux.ko"):
        shutil.copy(next((kernel / "lib/modules").rglob(name)), OUT / "files")
    program = OUT / "verify_bench"
    subprocess.run(["g++", "-std=c++20", "-O2", "-o", program, "tests/vm/bench/verify_bench.cpp",
                    "-lbpf"], check=True)
    subprocess.run(["vm/add-program.sh", OUT / "files", program], check=True)
    return subprocess.run(["vm/run.sh", "intree", "--icount", "--append", "nokaslr", "--files",
                           OUT / "files", "--", "sh", "-c", GUEST],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    try:
        log = run()
    except subprocess.CalledProcessError as error:
        print(error.stdout or "", end="")
        sys.exit(f"verify_bench: {error.cmd[0]}: exit code {error.returncode}")
    ns = {(when, program): int(ns) / int(count) for when, program, count, ns in
          re.findall(r"verify_bench: (\w+) (\w+) count=(\d+) ns=(\d+)", log)}
    print("verification of a fentry program, in instructions")
    for program in ("small", "large"):
        without = min(ns["before", program], ns["after", program])
        ratio = ns["with", program] / without
        note(f"{program}, without the modules", without)
        note(f"{program}, with them", ns["with", program])
        bar(f"{program}, with the modules, of without", ratio, 1.02)
    conclude()


if __name__ == "__main__":
    main()
