#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The kernel's own scripts faddr2line and decode_stacktrace.sh, with btf-extra-addr2line in place of
addr2line, against what they print with LLVM's addr2line and the debug information. LLVM 14 has no
--section, so faddr2line of a module is compared with binutils.

usage: kernel_scripts.py VMLINUX MODULE SOURCE RESULTS

MODULE is a .ko of VMLINUX with debug information. SOURCE is the linux.tar.xz of
vm/fetch-source.sh. Places are drawn from the functions that nm names.
"""

import collections
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile

COMMAND = pathlib.Path("build/release/btf-extra").resolve()
WORK = pathlib.Path("build/check/scratch/kernel_scripts").resolve()
SCRIPTS = ("scripts/faddr2line", "scripts/decode_stacktrace.sh")
# faddr2line sorts all symbols for each place.
PLACES = {"faddr2line": 6, "decode_stacktrace.sh": 30}


def link(name, target):
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def prepare(vmlinux, module, source):
    """The scripts; files with their tables beside them; two programs of the name addr2line."""
    WORK.mkdir(parents=True, exist_ok=True)
    wanted = set(SCRIPTS)
    with tarfile.open(source, "r|xz") as archive:
        for member in archive:
            name = member.name.split("/", 1)[-1]
            if name in wanted:
                (WORK / pathlib.Path(name).name).write_bytes(archive.extractfile(member).read())
                wanted.remove(name)
                if not wanted:
                    break
    if wanted:
        sys.exit(f"kernel_scripts: {source}: no {wanted}")
    llvm = shutil.which("llvm-addr2line-14") or shutil.which("llvm-addr2line")
    link("vmlinux", pathlib.Path(vmlinux).resolve())
    link(pathlib.Path(module).name, pathlib.Path(module).resolve())
    link("llvm/addr2line", llvm or sys.exit("kernel_scripts: no llvm-addr2line"))
    link("binutils/addr2line", shutil.which("addr2line"))
    link("btf-extra-addr2line", COMMAND)
    ours = WORK / "ours/addr2line"
    ours.parent.mkdir(exist_ok=True)
    ours.write_text(f"#!/bin/sh\n: >{WORK}/asked\nexec {WORK}/btf-extra-addr2line \"$@\"\n")
    ours.chmod(0o755)
    generate = [COMMAND, "generate", "--lines", "-o"]
    subprocess.run([*generate, WORK / "vmlinux.btf_extra", WORK / "vmlinux"], check=True)
    module = WORK / pathlib.Path(module).name
    subprocess.run([*generate, f"{module}.btf_extra", "--vmlinux", WORK / "vmlinux", module],
                   check=True)


def draw(elf, count):
    """Places "NAME+0xOFFSET/0xSIZE" in functions whose name is that of no other symbol. The size is
    up to the next symbol, as the kernel prints it. In a module, the places are past all that its
    other sections could have: decode_stacktrace.sh does not say which section it means."""
    listed = subprocess.run(["readelf", "-sW", elf], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    symbols = []
    for line in listed.splitlines():
        words = line.split()
        if len(words) >= 8 and words[0][:-1].isdigit() and words[6].isdigit():
            symbols.append((int(words[6]), int(words[1], 16), words[3], words[7], int(words[2], 0)))
    uses = collections.Counter(each[3] for each in symbols)
    sections = subprocess.run(["readelf", "-SW", elf], check=True, stdout=subprocess.PIPE,
                              text=True).stdout
    text = int(re.search(r"\[ *(\d+)\] \.text ", sections).group(1))
    other = max((int(size, 16) for name, address, size in re.findall(
        r"\] (\S+) +PROGBITS +(\w+) \w+ (\w+) \w+ +AX ", sections)
                 if name != ".text" and int(address, 16) == 0), default=0)
    symbols.sort()
    found = []
    for this, following in zip(symbols, symbols[1:]):
        size = following[1] - this[1]
        if this[2] == "FUNC" and uses[this[3]] == 1 and this[0] == following[0] == text and \
                this[4] > 16 and this[1] > other and re.fullmatch(r"\w+", this[3]):
            found.append((this[3], size, this[4]))
    numbers = random.Random(7)
    return [f"{name}+{numbers.randrange(1, code):#x}/{size:#x}"
            for name, size, code in numbers.sample(found, count)]


def read(script, who, arguments, text=""):
    """The output of the script. Discriminators are not in the tables, nor is the folder of the build."""
    (WORK / "asked").unlink(missing_ok=True)
    ran = subprocess.run(["bash", WORK / script, *arguments], input=text, text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=WORK, timeout=1800,
                         env={"PATH": f"{WORK}/{who}:/usr/bin:/bin"})
    print(ran.stderr, end="")
    out = re.sub(r" \(discriminator \d+\)|(debian/build/[^/ ]+|/build/\S+/linux-[^/]+)/", "",
                 ran.stdout)
    if who == "ours" and not (WORK / "asked").exists():
        out += "addr2line was not asked\n"
    return out.splitlines()


def main():
    if len(sys.argv) != 5:
        sys.exit(f"usage: {sys.argv[0]} VMLINUX MODULE SOURCE RESULTS")
    prepare(*sys.argv[1:4])
    module = pathlib.Path(sys.argv[2]).name
    name = module[:-3].replace("-", "_")
    with open(sys.argv[4], "w", encoding="utf-8") as results:
        for script, elf in (("faddr2line", "vmlinux"), ("faddr2line", module),
                            ("decode_stacktrace.sh", "vmlinux"), ("decode_stacktrace.sh", module)):
            places = draw(WORK / elf, PLACES[script])
            other = "binutils" if (script, elf) == ("faddr2line", module) else "llvm"
            if script == "faddr2line":
                arguments, text = [elf, *places], ""
                # The place, and that it has a source line.
                told = r" at \S+:\d+$"
            else:
                arguments, told = ["vmlinux", "auto", str(WORK)], r" \(\S+:\d+.*\)"
                suffix = "" if elf == "vmlinux" else f" [{name}]"
                text = "".join(f"[    1.000000]  {place}{suffix}\n" for place in places)
            ours, theirs = (read(script, who, arguments, text) for who in ("ours", other))
            lines = sum(bool(re.search(told, line)) for line in ours)
            differ = [pair for pair in zip(ours, theirs) if pair[0] != pair[1]]
            for pair in differ[:4]:
                print(f"{script}: ours {pair[0]!r}, {other}'s {pair[1]!r}")
            wrong = ""
            if differ or len(ours) != len(theirs):
                wrong = f"{len(differ)} lines differ, {len(ours)} and {len(theirs)} in all"
            elif lines < len(places):
                wrong = f"{lines} lines for {len(places)} places"
            row = f"{script} of {elf} prints with btf-extra what it prints with {other}"
            results.write(f"fail {row}: {wrong}\n" if wrong else f"pass {row}\n")


if __name__ == "__main__":
    main()
