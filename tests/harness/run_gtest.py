#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Runs one GoogleTest binary and reports each of its tests as check.sh wants it.

usage: run_gtest.py OUT NAME VARIANT

Runs build/VARIANT/tests/NAME; writes OUT/results/NAME and OUT/logs/NAME.log. A binary that
crashes, hangs, reports nothing or contradicts its own report counts as failed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree

TIME_LIMIT = 900  # seconds


def test_lines(binary, report):
    """The lines of the binary's own report."""
    lines = []
    for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{binary}: {case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            lines.append(f"fail {name}")
        elif skipped is not None or case.get("result") == "skipped":
            message = skipped.get("message", "") if skipped is not None else ""
            lines.append(f"skip {name}: {' '.join(message.split()) or 'no reason given'}")
        elif case.get("status") == "notrun":
            lines.append(f"skip {name}: disabled")
        else:
            lines.append(f"pass {name}")
    return lines


def run(out, binary, variant):
    """(lines, log) of one run."""
    folder = pathlib.Path("build", variant).resolve()
    scratch = out / "scratch" / binary
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    corpus = pathlib.Path("build/fuzz/seeds", binary.replace("_test", "_fuzz")).resolve()
    shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True)
    report = out / "logs" / f"{binary}.xml"
    log_path = out / "logs" / f"{binary}.log"
    environment = dict(
        os.environ,
        BTF_EXTRA_BUILD=str(folder),
        BTF_EXTRA_CMD=str(folder / "btf-extra"),
        BTF_EXTRA_SCRATCH=str(scratch),
        BTF_EXTRA_CORPUS=str(corpus),
        TMPDIR=str(scratch),
    )
    command = [str(folder / "tests" / binary), f"--gtest_output=xml:{report}"]
    with open(log_path, "wb") as log_file:
        try:
            status = subprocess.run(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log_file,
                stderr=subprocess.STDOUT, timeout=TIME_LIMIT, check=False,
            ).returncode
            ending = f"exit code {status}" if status >= 0 else f"killed by signal {-status}"
        except subprocess.TimeoutExpired:
            status, ending = 1, f"not done after {TIME_LIMIT} s"
        except OSError as error:
            status, ending = 1, str(error)
    log = log_path.read_text(errors="replace")

    try:
        lines = test_lines(binary, report)
    except (OSError, xml.etree.ElementTree.ParseError):
        return [f"fail {binary}: no report ({ending})"], log
    failed = any(line.startswith("fail ") for line in lines)
    if not lines:
        lines.append(f"fail {binary}: no tests in it")
    elif status != 0 and not failed:
        lines.append(f"fail {binary}: every test passed, yet {ending}")
    elif status == 0 and failed:
        lines.append(f"fail {binary}: exit code 0 in spite of failures")
    return lines, log


def main():
    out, binary, variant = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    start = time.monotonic()
    lines, log = run(out, binary, variant)
    (out / "results" / binary).write_text("".join(line + "\n" for line in lines))
    counts = [sum(line.startswith(word) for line in lines) for word in ("pass ", "fail ", "skip ")]
    summary = "  {} ({}): {} passed, {} failed, {} skipped, {:.1f} s\n".format(
        binary, variant, *counts, time.monotonic() - start
    )
    # It is written in one piece: several of these run at a time.
    sys.stdout.write((log if counts[1] else "") + summary)


if __name__ == "__main__":
    main()
