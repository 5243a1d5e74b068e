#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The output of `btf-extra symbolize` for random addresses, against LLVM and the debug information: the
chain of functions with the line of each call, the line of the address itself, and the text that
addr2line prints.

usage: compare_llvm.py KERNEL COUNT

KERNEL is one of vm/kernels.list. COUNT addresses are drawn from all its text sections, a tenth of
that from those of each of six modules; for the text of addr2line a tenth, too. Nothing here shares
code with the command. Exit 1 if anything differs that has no known reason.
"""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

COMMAND = "build/release/btf-extra"
PLACE_OBJECT = "build/release/place_object"
SECTION_SHIFT = 24  # place_object puts section i at i << 24
SHOWN = 4           # of each kind of difference
# Trampolines of the assembler, and code that never runs where it lies, as that in data.
NOT_COMPILED = (".static_call.text", ".altinstr_replacement", ".altinstr_aux")

Place = collections.namedtuple("Place", "name address")  # what we are asked, and what LLVM is


def output_of(*command, text=None):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, input=text,
                          text=True).stdout


def llvm(tool):
    found = shutil.which(tool + "-14") or shutil.which(tool)
    return found or sys.exit(f"compare_llvm: no {tool}: install llvm-14")


def text_sections(elf):
    """(number, name, address, size) of each with code that was compiled."""
    listed = output_of("readelf", "-SW", elf)
    pattern = r"\[ *(\d+)\] (\S+) +PROGBITS +(\w+) \w+ (\w+) \w+ +(\w+) "
    return [(int(number), name, int(address, 16), int(size, 16))
            for number, name, address, size, flags in re.findall(pattern, listed)
            if "A" in flags and "X" in flags and "W" not in flags and int(size, 16) and
            name not in NOT_COMPILED]


def draw(sections, count, place):
    """Each byte of code is as likely as any other."""
    numbers = random.Random(1)
    ends = list(itertools.accumulate(section[3] for section in sections))
    out = []
    for at in sorted(numbers.randrange(ends[-1]) for _ in range(count)):
        which = next(i for i, end in enumerate(ends) if at < end)
        out.append(place(sections[which], at - (ends[which] - sections[which][3])))
    return out


def halves(values):
    middle = len(values) // 2
    return [values[:middle], values[middle:]]


def ask_llvm(elf, places):
    """The JSON of llvm-symbolizer for each. Two processes share the work."""
    def ask(part):
        if not part:
            return []
        said = output_of(llvm("llvm-symbolizer"), "--obj=" + elf, "--output-style=JSON",
                         text="".join(f"{place.address:#x}\n" for place in part))
        return [json.loads(line).get("Symbol", []) for line in said.splitlines()]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        return list(itertools.chain(*pool.map(ask, halves(places))))


def ask_us(options, places):
    said = output_of(COMMAND, "symbolize", *options, "--json",
                     text="".join(f"{place.name}\n" for place in places))
    return [json.loads(line) for line in said.splitlines()]


Frame = collections.namedtuple("Frame", "name file line")  # a line in that function; None: not known


def our_frames(answer):
    """The outermost function is the symbol, as LLVM has it: foo.part.0 and not foo."""
    at = answer["at"]
    names = [frame["name"] for frame in answer["frames"]] or [None]
    if answer["symbol"] and "+" in answer["symbol"]:
        names[-1] = answer["symbol"].rpartition("+")[0]
    calls = [(frame.get("file"), frame.get("line")) for frame in answer["frames"]]
    places = [(at["file"], at["line"]) if at else (None, None), *calls[:-1]]
    return [Frame(name, *place) for name, place in zip(names, places)]


def their_frames(answer):
    return [Frame(symbol["FunctionName"] or None, os.path.normpath(symbol["FileName"]) if
                  symbol["FileName"] else None, symbol["Line"] if symbol["FileName"] else None)
            for symbol in answer]


def same_file(ours, theirs):
    """Ours are named from the top of the sources, LLVM's with the folder that the unit names.
    Where there is no line, LLVM has a file from the symbol table at times."""
    if not ours.line and not theirs.line and not ours.file:
        return True
    return ours.file == theirs.file or bool(
        ours.file and theirs.file and ("/" + theirs.file).endswith("/" + ours.file))


class Symbols:
    def __init__(self, elf):
        self.addresses, self.labels = collections.defaultdict(set), set()
        pattern = r"^ *\d+: (\w+) +\S+ (\w+) +\w+ +\w+ +\S+ (\S+)$"
        for address, kind, name in re.findall(pattern, output_of("readelf", "-sW", elf),
                                              re.MULTILINE):
            self.addresses[name].add(address)
            if kind == "NOTYPE":
                self.labels.add(name)

    def why_not(self, ours, theirs):
        """Why LLVM has another symbol; None: there is no known reason."""
        if not theirs:
            return "a symbol that has no size"
        if self.addresses[ours] & self.addresses[theirs]:
            return "two symbols at one address"
        if theirs in self.labels and ours not in self.labels:
            return "a label in a function"
        return None


def kind_of_difference(ours, theirs, symbols):
    """None: there is none."""
    if any(frame.file and frame.file.endswith(".rs") for frame in theirs):
        return "known: a unit in Rust, whose functions are left out"
    if len(ours) != len(theirs):
        return "the number of functions"
    if [own.name for own in ours[:-1]] != [other.name for other in theirs[:-1]]:
        return "the name of an inlined function"
    for number, (own, other) in enumerate(zip(ours, theirs)):
        what = "the line of a call" if number else "the line of the address"
        if (own.line or 0) != (other.line or 0):
            return what
        if not same_file(own, other):
            return what + ": its file"
    if ours[-1].name == theirs[-1].name:
        return None
    reason = symbols.why_not(ours[-1].name, theirs[-1].name)
    return "known: " + reason if reason else "the name of a symbol"


def compare(title, elf, options, places):
    kinds = collections.defaultdict(list)
    inlined, symbols = 0, Symbols(elf)
    for place, our, their in zip(places, ask_us(options, places), ask_llvm(elf, places),
                                 strict=True):
        ours, theirs = our_frames(our), their_frames(their)
        inlined += len(theirs) > 1
        if kind := kind_of_difference(ours, theirs, symbols):
            kinds[kind].append((place, ours, theirs))
    unknown = sum(len(found) for kind, found in kinds.items() if not kind.startswith("known: "))
    print(f"{title}: {len(places)} addresses, {inlined} of them in inlined functions: "
          f"{unknown} differ", flush=True)
    for kind, found in sorted(kinds.items()):
        print(f"    {len(found)}: {kind}")
        for place, ours, theirs in [] if kind.startswith("known: ") else found[:SHOWN]:
            print(f"        {place.name}\n            ours {ours}\n            LLVM {theirs}")
    return unknown == 0


def blocks(text):
    """The output of addr2line -a, for each address."""
    out = []
    for line in text.splitlines():
        if line.startswith("0x"):
            out.append([])
        out[-1].append(line)
    return out


def compare_addr2line(title, elf, options, places):
    """Files without folders: ours are named from the top of the sources. Lines have no
    discriminators in our tables."""
    text = "".join(f"{place.address:#x}\n" for place in places)
    flags = ["-a", "-i", "-f", "-s"]
    ours = blocks(output_of(COMMAND, "symbolize", "--addr2line", "-e", elf, *flags, *options,
                            text=text))
    theirs = blocks(re.sub(r" \(discriminator \d+\)$", "",
                           output_of(llvm("llvm-addr2line"), "-e", elf, *flags, text=text),
                           flags=re.MULTILINE))
    symbols = Symbols(elf)

    def same(own, other):
        if own == other or any(".rs:" in line for line in other):
            return True
        *inner, name, line = own
        their_name, their_line = other[-2].replace("??", ""), other[-1]
        return inner == other[:-2] and (
            name == their_name or symbols.why_not(name, their_name)) and (
            line == their_line or line == "??:0" and their_line.endswith(":0"))
    unequal = [(own, other) for own, other in zip(ours, theirs, strict=True) if own != other]
    differ = [pair for pair in unequal if not same(*pair)]
    print(f"{title}, as text of addr2line: {len(places)} addresses: {len(differ)} differ")
    print(f"    {len(unequal) - len(differ)}: known: another symbol, or a unit in Rust")
    for own, other in differ[:SHOWN]:
        print(f"        ours {own}\n        LLVM {other}")
    return not differ


def compare_vmlinux(vmlinux, count, folder):
    tables = str(folder / "vmlinux.btf_extra")
    output_of(COMMAND, "generate", "--lines", "-o", tables, vmlinux)
    places = draw(text_sections(vmlinux), count, lambda section, offset: Place(
        f"{section[2] + offset:x}", section[2] + offset))
    good = compare("vmlinux", vmlinux, ["--tables", tables, "--vmlinux", vmlinux], places)
    some = random.Random(2).sample(places, count // 10)
    return compare_addr2line("vmlinux", vmlinux, ["--tables", tables], some) and good


def compare_module(module, vmlinux, count, folder):
    tables, placed = str(folder / (module.stem + ".btf_extra")), str(folder / module.name)
    output_of(COMMAND, "generate", "--lines", "--vmlinux", vmlinux, "-o", tables, str(module))
    output_of(PLACE_OBJECT, str(module), placed)
    options = ["--tables", tables, "--vmlinux", vmlinux, "--module", str(module)]

    def known(section):
        """A section without sites has no place in the tables."""
        done = subprocess.run([COMMAND, "symbolize", *options, "--json", f"{section[1]}+0x0"],
                              capture_output=True, check=False)
        if done.returncode != 0:
            print(f"{module.stem}: not known: {section[1]}, {section[3]} bytes")
        return done.returncode == 0
    sections = [section for section in text_sections(module) if known(section)]
    places = draw(sections, count, lambda section, offset: Place(
        f"{section[1]}+{offset:#x}", (section[0] << SECTION_SHIFT) + offset))
    return compare(module.stem, placed, options, places)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: compare_llvm.py KERNEL COUNT")
    kernel, count = sys.argv[1], int(sys.argv[2])
    vmlinux = output_of("vm/fetch-vmlinux.sh", kernel).strip()
    modules = pathlib.Path(output_of("vm/fetch-modules.sh", kernel).strip())
    print(f"{kernel}: {pathlib.Path(vmlinux).parent.name}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        good = [compare_vmlinux(vmlinux, count, folder)]
        for module in sorted(modules.glob("usr/lib/debug/**/*.ko")):
            good.append(compare_module(module, vmlinux, count // 10, folder))
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
