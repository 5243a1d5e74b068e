#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Takes the lines that kunit_guest.sh printed ("kunit SUITE LINE-OF-RESULTS") through the kernel's
own parser, and adds one line a case to a results file of check.sh: "pass SUITE.CASE: PARAMETER".
A suite that the parser finds no case in is a failure, and so is a log without a suite.

usage: kunit_results.py KUNIT_PY LOG RESULTS
"""

import json
import re
import subprocess
import sys
import tempfile

LINE = re.compile(r"^(?:\[[ .\d]+\] )?kunit (btf_extra\w*) (.*)$")


def suites_of(log):
    """{suite: its results file}"""
    suites = {}
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            found = LINE.match(line.rstrip("\r\n"))
            if found:
                suites.setdefault(found[1], []).append(found[2] + "\n")
    return {suite: "".join(lines) for suite, lines in suites.items()}


def parse(kunit, text):
    """The parser's tree of groups and cases."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/results", f"{folder}/tree"]
        with open(paths[0], "w", encoding="utf-8") as results:
            results.write(text)
        done = subprocess.run([sys.executable, kunit, "parse", f"--json={paths[1]}", paths[0]],
                              capture_output=True, text=True, check=False, timeout=60)
        try:
            with open(paths[1], encoding="utf-8") as tree:
                return json.load(tree)
        except (OSError, ValueError):
            sys.exit(f"kunit_results: kunit.py gave no tree\n{done.stdout}{done.stderr}")


def cases_of(group, path=()):
    """(names from the suite down, status) of each case."""
    for case in group["test_cases"]:
        yield (*path, case["name"]), case["status"]
    for inner in group["sub_groups"]:
        yield from cases_of(inner, (*path, inner["name"]))


def skip_reason(text, name):
    found = re.search(rf"^\s*ok \d+ {re.escape(name)} # SKIP\b *(.*)$", text, re.MULTILINE)
    return found[1] if found and found[1] else "no reason given"


def lines_of(suite, text, tree):
    nr_cases = 0
    for path, status in cases_of(tree):
        suite_name, case, *parameter = path if path[0] == suite else (suite, *path)
        name = f"{suite_name}.{': '.join((case, *parameter))}"
        nr_cases += 1
        if status == "PASS":
            yield f"pass {name}"
        elif status == "SKIP":
            yield f"skip {name}: {skip_reason(text, path[-1])}"
        else:
            yield f"fail {name}"
    if not nr_cases:
        yield f"fail {suite}: kunit.py finds no case"
    # The last line of a complete file is the result of the suite.
    last = text.rstrip().splitlines()[-1] if text.strip() else ""
    if not re.fullmatch(rf"(not )?ok \d+ {re.escape(suite)}( # SKIP.*)?", last):
        yield f"fail {suite}: its results are cut off"


def main():
    kunit, log, results = sys.argv[1:]
    suites = suites_of(log)
    lines = [line for suite, text in suites.items()
             for line in lines_of(suite, text, parse(kunit, text))]
    with open(results, "a", encoding="utf-8") as out:
        for line in lines or ["fail kunit: no suite ran"]:
            out.write(line + "\n")


if __name__ == "__main__":
    main()
