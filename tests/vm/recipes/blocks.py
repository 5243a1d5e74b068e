#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Takes the terminal sessions out of a document, so that a guest can try them.

usage: blocks.py DOCUMENT FOLDER

A session is a block marked ```console. Its lines that begin with "# " are typed by root, and the
others are what comes of them. FOLDER gets, for session N, N.name (the heading above it), N.sh and
N.wanted.
"""

import pathlib
import sys


def sessions(lines):
    heading, block = "", None
    for line in lines:
        if block is not None:
            if line == "```":
                yield heading, block
                block = None
            else:
                block.append(line)
        elif line == "```console":
            block = []
        elif line.startswith("#"):
            heading = line.lstrip("# ")


def main():
    document, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = list(sessions(document.read_text().splitlines()))
    if not found:
        sys.exit(f"{document}: no session in it")
    folder.mkdir(parents=True, exist_ok=True)
    for number, (heading, block) in enumerate(found, 1):
        typed, wanted = [], []
        for line in block:
            if line.startswith("# "):
                typed.append(line[2:])
            elif typed and typed[-1].endswith("\\"):
                typed.append(line)
            else:
                wanted.append(line)
        base = folder / f"{number:02}"
        base.with_suffix(".name").write_text(heading + "\n")
        base.with_suffix(".sh").write_text("\n".join(typed) + "\n")
        base.with_suffix(".wanted").write_text("".join(line + "\n" for line in wanted))


main()
