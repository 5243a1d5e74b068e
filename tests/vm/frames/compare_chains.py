#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The stack traces of `btf-extra symbolize` in a guest, against llvm-symbolizer and the
kernel's debug information. One row for each text, "pass NAME" or "fail NAME".

usage: compare_chains.py VMLINUX SAID

SAID has lines "@TEXT LINE" of guest/frames.sh, and "@_text ADDRESS". Lines of inlined functions
stand before that of their frame. Nothing here shares code with the command: its rules are written
down again, from the manual page. Frames of modules are the guest's to compare.
"""

import collections
import json
import os
import re
import shutil
import subprocess
import sys

INLINED = re.compile(r"(?:^|[ :\]\t])([\w.$]+) \(inlined\)(?: (\S+):(\d+))?$")
TRACE = re.compile(r"^(.*[]>:])?\s*(?:\? )?([\w.$]+)\+0x([0-9a-f]+)/0x[0-9a-f]+( \[.*\])?$")
PERF = re.compile(r"^\s+([0-9a-f]{16}) ([\w.$]+)\+0x([0-9a-f]+) \((.*)\)$")
DECIMAL = re.compile(r"^\s+([\w.$]+)\+(\d+)$")
ADDRESS = re.compile(r"^([0-9a-f]{16})$")
INTERRUPTED = re.compile(r"^(asm_(exc_|sysvec_|common_interrupt|spurious)|el1h_64_[a-z]+$)")
INSTRUCTION = re.compile(r"(RIP: 0010:|pc :)$")  # what stands before the place of one

Frame = collections.namedtuple("Frame", "line symbol offset address in_module exact inserted")


def read_frame(line, begins, interrupted):
    """symbol, offset, address, whether it is in a module, and whether it is an instruction's."""
    if found := TRACE.match(line):
        return (found[2], int(found[3], 16), None, bool(found[4]),
                bool(INSTRUCTION.search(found[1] or "")) or interrupted)
    if found := PERF.match(line):
        return (found[2], int(found[3], 16), int(found[1], 16), found[4] != "[kernel.kallsyms]",
                begins or interrupted)
    if found := DECIMAL.match(line):
        return found[1], int(found[2]), None, False, begins or interrupted
    if found := ADDRESS.match(line):
        return None, None, int(found[1], 16), False, begins or interrupted
    return None


def read_texts(path):
    texts, kernel_text = collections.defaultdict(list), None
    with open(path, encoding="utf-8", errors="replace") as said:
        for line in said:
            name, _, rest = line.rstrip("\n").partition(" ")
            if name == "@_text":
                kernel_text = int(rest, 16)
            elif name.startswith("@"):
                texts[name[1:]].append(rest)
    return texts, kernel_text


def frames_of(lines):
    inserted, begins, interrupted = [], True, False
    for line in lines:
        if found := INLINED.search(line):
            inserted.append((found[1], found[2], int(found[3] or 0)))
            continue
        read = read_frame(line, begins, interrupted)
        begins = read is None
        interrupted = bool(read and read[0] and INTERRUPTED.match(read[0]))
        if read:
            yield Frame(line, *read, inserted)
        elif inserted:
            yield Frame(line, None, None, None, False, False, inserted)
        inserted = []


class Kernel:
    def __init__(self, vmlinux):
        self.path = vmlinux
        self.symbols = collections.defaultdict(set)
        listed = subprocess.run(["nm", vmlinux], capture_output=True, check=True, text=True).stdout
        for line in listed.splitlines():
            address, _, name = line.split(" ", 2)
            self.symbols[name].add(int(address, 16))
        self.text, self.end = min(self.symbols["_text"]), min(self.symbols["_end"])

    def chains(self, addresses):
        """The inlined functions of each address, innermost first, with the place of their call."""
        program = shutil.which("llvm-symbolizer-14") or shutil.which("llvm-symbolizer")
        done = subprocess.run([program, "--obj=" + self.path, "--output-style=JSON"],
                              input="".join(f"{each:#x}\n" for each in addresses),
                              capture_output=True, check=True, text=True)
        out = {}
        for address, line in zip(addresses, done.stdout.splitlines(), strict=True):
            found = json.loads(line).get("Symbol", [])
            out[address] = [(inner["FunctionName"], os.path.normpath(outer["FileName"]),
                             outer["Line"]) for inner, outer in zip(found, found[1:])]
        return out

    def places(self, frame, moved):
        """Where the frame may be, as linked: of symbols that share a name the address tells."""
        if frame.symbol is None:
            return [] if frame.address is None else [frame.address - moved]
        places = [symbol + frame.offset for symbol in sorted(self.symbols.get(frame.symbol, []))]
        if len(places) > 1 and frame.address is not None:
            places = [place for place in places if place == frame.address - moved]
        return places

    def is_modules(self, frame, moved):
        if frame.symbol is None and frame.address is not None:
            return not self.text <= frame.address - moved < self.end
        return frame.in_module


def same_chain(ours, theirs, with_calls):
    def same(mine, other):
        if mine[0] != other[0] or not with_calls:
            return mine[0] == other[0] and mine[1] is None
        return mine[2] == other[2] and ("/" + other[1]).endswith("/" + str(mine[1]))
    return len(ours) == len(theirs) and all(map(same, ours, theirs))


def main():
    texts, kernel_text = read_texts(sys.argv[2])
    kernel = Kernel(sys.argv[1])
    moved = kernel_text - kernel.text
    frames = {name: list(frames_of(lines)) for name, lines in texts.items()}
    every = sorted({place - back for name in frames for frame in frames[name]
                    for place in kernel.places(frame, moved) for back in (0, 1)})
    chains = kernel.chains(every)
    matters = 0
    for name, found in frames.items():
        compared = inlined = wrong = 0
        for frame in found:
            if kernel.is_modules(frame, moved):
                continue
            back = 0 if frame.exact else 1
            places = kernel.places(frame, moved)
            expected = [chains[place - back] for place in places]
            # The filter leaves what is not known for certain.
            theirs = expected[0] if expected and all(e == expected[0] for e in expected) else []
            matters += not frame.exact and any(chains[p - 1] != chains[p] for p in places)
            compared += 1
            inlined += len(theirs)
            # perf script has no room for calls.
            if not same_chain(frame.inserted, theirs, not name.endswith(":perf")):
                wrong += 1
                print(f"{name}: {frame.line.strip()}\n  ours:  {frame.inserted}\n  llvm: {theirs}")
        print(f"# {name}: {compared} frames, {inlined} inlined functions, {wrong} differ")
        good = wrong == 0 and inlined > 0
        print(f"{'pass' if good else 'fail'} {name}: the inlined functions are llvm-symbolizer's")
    print(f"# {matters} frames differ from those of the address that a call returns to")
    print(f"{'pass' if matters else 'fail'} it matters that a call returns after itself")


if __name__ == "__main__":
    main()
