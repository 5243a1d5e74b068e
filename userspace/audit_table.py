#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""`make audit-table`: writes userspace/AUDIT.md, an audit of the attach points of well-known tools on
Debian's kernels.

    audit_table.py [KERNEL...]      KERNEL: the first column of vm/kernels.list

The tables of each kernel are made from its debug package by `btf-extra firmware`."""

import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = [f"{version}-{machine}" for machine in ("cloud-amd64", "arm64") for version in ("6.1", "6.12", "7.2", "7.x")]
COMMAND = "build/release/btf-extra"
OUT = "userspace/AUDIT.md"

HEAD = ("<!-- SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) -->\n"
        "# What well-known tools miss on Debian's kernels\n")
INTRODUCTION = """
`make audit-table` generated this page: `btf-extra audit` compares the attach points of
`userspace/audit_points.txt` with each kernel. The tables of vmlinux are all that it reads. `man btf-extra`
describes the verdicts. `misses 2 of 3` counts the places where a call begins. Programs read other arguments in
other versions of a tool, so what they read is not known here.
"""


def attach_points():
    """A tool and its attach points, for each line."""
    with open("userspace/audit_points.txt") as lines:
        for line in lines:
            if not line.startswith("#"):
                tool, points = line.split(": ", 1)
                yield tool, points.split()


def tables_of(kernel):
    vmlinux = subprocess.run(["vm/fetch-vmlinux.sh", kernel], check=True, stdout=subprocess.PIPE,
                             text=True).stdout.strip()
    folder = f"build/audit-table/{kernel}"
    subprocess.run([COMMAND, "firmware", "--vmlinux", vmlinux, "--kernel-files", "--no-frames", "-o", folder],
                   check=True, stdout=subprocess.DEVNULL)
    return folder


def audit(folders, points):
    kernels = [word for folder in folders for word in ("--kernel", folder)]
    found = subprocess.run([COMMAND, "audit", "--json", *kernels, "-"], input="\n".join(points), text=True,
                           stdout=subprocess.PIPE, check=False)
    # 1: there are findings.
    if found.returncode not in (0, 1):
        sys.exit(found.returncode)
    return json.loads(found.stdout)


def cell(finding):
    if finding["verdict"] == "misses":
        return f"misses {finding['missed']} of {finding['calls']}"
    return finding["verdict"]


def table(audited, tools):
    yield "| attach point | " + " | ".join(f"`{kernel}`" for kernel in audited["kernels"]) + " |"
    yield "|---|" + "---|" * len(audited["kernels"])
    findings = {target["target"]: target["findings"] for target in audited["targets"]}
    for tool, points in tools:
        yield f"| **{tool}** |" + " |" * len(audited["kernels"])
        for point in points:
            yield f"| `{point}` | " + " | ".join(map(cell, findings[point])) + " |"


def renamed(audited):
    """The lines about missing functions that may have another name."""
    for target in audited["targets"]:
        for kernel, finding in zip(audited["kernels"], target["findings"]):
            for line in finding["details"]:
                if line.startswith("perhaps renamed: "):
                    yield f"- `{target['target']}` on `{kernel}`: {line}."


def main():
    os.chdir(TOP)
    folders = [tables_of(kernel) for kernel in sys.argv[1:] or KERNELS]
    tools = list(attach_points())
    points = list(dict.fromkeys(point for _, listed in tools for point in listed))
    audited = audit(folders, points)
    whole = sum(all(finding["verdict"] == "whole" for finding in target["findings"])
                for target in audited["targets"])
    lines = [HEAD + INTRODUCTION, f"There are {len(points)} attach points. {whole} of them are `whole` on all of these kernels.", ""]
    lines += [*table(audited, tools), "", "Functions that may have another name now:", "", *renamed(audited)]
    with open(OUT, "w") as page:
        page.write("\n".join(lines) + "\n")
    print(f"{OUT}: {len(points)} attach points, {len(folders)} kernels")


main()
