#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Judges each site of a .btf_extra file that has the mark "after key": whether a probe at the
instruction after the static key is hit once a call, and sees the same arguments.

usage: after_key.py VMLINUX FILE

It reads the instructions that objdump prints, symbols from nm, the kernel's own tables from the bytes
of VMLINUX, and FILE as kernel/core/FORMAT.md describes it. VMLINUX may be a module, too.
It judges marks of vmlinux of x86-64. Modules and other architectures must not have the mark.
Exit 1 if a mark is wrong or cannot be judged.
"""

import array
import bisect
import collections
import re
import struct
import subprocess
import sys

AFTER_KEY = 0x80
SHOWN = 20
REG, DEREF, OFFSET, CONST = 0x8, 0x10, 0x20, 0x2
# DWARF's numbers.
NAMES = ("ax", "dx", "cx", "bx", "si", "di", "bp", "sp")
CALLER_SAVED = {0, 1, 2, 4, 5, 8, 9, 10, 11}

Step = collections.namedtuple("Step", "address name operands size")


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def numbers_of(register):
    """The number of a general register, by any of its names. None: it is another register."""
    match = re.fullmatch(r"%([re]?)([abcds][xip])|%([abcd])[lh]|%(si|di|bp|sp)l|%r(\d+)[dwb]?",
                         register)
    if not match:
        return None
    if match.group(5):
        return int(match.group(5))
    short = match.group(2) or (match.group(3) or "") + "x"
    short = match.group(4) or short
    return NAMES.index(short) if short in NAMES else None


class Elf:
    """The sections of an ELF file, with their bytes."""

    def __init__(self, path):
        self.data = open(path, "rb").read()
        self.sections = []
        pattern = r"\[ *\d+\] (\S+) +(\w+) +(\w+) (\w+) (\w+) +\w+ +([A-Za-z]*) "
        for name, kind, address, offset, size, flags in re.findall(pattern,
                                                                  output_of("readelf", "-SW", path)):
            self.sections.append((name, kind, int(address, 16), int(offset, 16), int(size, 16),
                                  flags))

    def section(self, name):
        """Its bytes; empty if it does not exist."""
        for each in self.sections:
            if each[0] == name and each[1] != "NOBITS":
                return self.data[each[3]:each[3] + each[4]]
        return b""

    def at(self, begin, end):
        """The bytes at link-time addresses."""
        for _, kind, address, offset, size, flags in self.sections:
            if "A" in flags and kind != "NOBITS" and address and address <= begin < address + size:
                return self.data[offset + begin - address:offset + end - address]
        return b""


class Kernel:
    def __init__(self, path):
        self.elf = Elf(path)
        self.symbols = {}
        functions = []
        for line in output_of("nm", "-S", path).splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in "tTwW":
                begin, size = int(words[0], 16), int(words[1], 16)
                functions.append((begin, begin + size, words[3]))
            elif len(words) == 3:
                self.symbols[words[2]] = int(words[0], 16)
        self.functions = sorted(functions)
        self.begins = [each[0] for each in self.functions]
        self.by_name = collections.defaultdict(list)
        for begin, end, name in self.functions:
            self.by_name[name].append((begin, end))
        self.keys = dict(self.pairs("__start___jump_table", "__stop___jump_table", 16))
        self.fixups = dict(self.pairs("__start___ex_table", "__stop___ex_table", 12))
        self.calls = {code for code, _ in self.pairs("__start_static_call_sites",
                                                     "__stop_static_call_sites", 8)}
        self.alternatives = sorted(self.read_alternatives())

    def pairs(self, first, end, size):
        if first not in self.symbols:
            return
        begin = self.symbols[first]
        data = self.elf.at(begin, self.symbols[end])
        for at in range(0, len(data) - size + 1, size):
            one, other = struct.unpack_from("<ii", data, at)
            yield begin + at + one, begin + at + 4 + other

    def read_alternatives(self):
        """(begin, end) of what is replaced. Entries have 14 bytes since 6.3, and 12 before."""
        begin, end = self.symbols["__alt_instructions"], self.symbols["__alt_instructions_end"]
        size = 14 if (end - begin) % 14 == 0 and (end - begin) % 12 else 12
        data = self.elf.at(begin, end)
        for at in range(0, len(data), size):
            code = begin + at + struct.unpack_from("<i", data, at)[0]
            yield code, code + data[at + size - 2]

    def has_alternative(self, address):
        at = bisect.bisect_right(self.alternatives, (address, 1 << 64))
        return any(begin <= address < end for begin, end in self.alternatives[max(0, at - 8):at])

    def function_at(self, address):
        at = bisect.bisect_right(self.begins, address) - 1
        return next(((begin, end, name) for begin, end, name in self.functions[max(0, at - 6):at + 1]
                     if begin <= address < end), None)

    def body_at(self, address):
        """The ranges of the function around, with its cold part or its hot one."""
        begin, end, name = self.function_at(address)
        name = name.removesuffix(".cold")
        others = self.by_name[name] if len(self.by_name[name]) == 1 else []
        cold = self.by_name[name + ".cold"] if len(self.by_name[name + ".cold"]) == 1 else []
        return sorted({(begin, end), *others, *cold})


# Bytes of a BTF record after its first 12, by kind: a number, and a number for each of vlen.
BTF_SIZES = {1: (4, 0), 3: (12, 0), 4: (0, 12), 5: (0, 12), 6: (0, 8), 13: (0, 8), 14: (4, 0),
             15: (0, 12), 17: (4, 0), 19: (0, 12), 20: (4, 4), 21: (0, 4), 22: (0, 12)}


def records_of(blob):
    """(records, strings) of one blob: of a record the kind, vlen, name, and the words after that."""
    header_size, types, types_size, strings, strings_size = struct.unpack_from("<5I", blob, 4)
    out, at = [], header_size + types
    while at < header_size + types + types_size:
        name, info, _ = struct.unpack_from("<3I", blob, at)
        kind, vlen = info >> 24 & 0x7f, info & 0xffffff
        fixed, each = BTF_SIZES.get(kind, (0, 0))
        size = fixed + each * vlen
        out.append((kind, vlen, name, struct.unpack_from(f"<{size // 4}I", blob, at + 12)))
        at += 12 + size
    return out, blob[header_size + strings:header_size + strings + strings_size]


def marks_of(section):
    """(number of a site, its marks) of each that has some."""
    pages = struct.unpack_from("<I", section)[0] // 4 if section else 0
    begins = [*struct.unpack_from(f"<{pages}I", section), len(section)]
    for page in range(pages):
        site, at = page * 256, begins[page]
        while at < begins[page + 1]:
            gap, head = section[at:at + 2]
            at += 2
            site += gap
            length = head >> 4 & 3
            if not length:
                length = section[at] + 1
                at += 1
            for _ in range(length):
                yield site, head & ~0x30
                site += 1


def sites_of(path):
    """(section, offset, parameters) of each site with the mark; of a parameter flags and values."""
    elf = Elf(path)
    _, _, first_id, first_string = struct.unpack_from("<4I", elf.section(".btf_extra.provenance"))
    types, type_strings = records_of(elf.section(".BTF"))
    records, strings = records_of(elf.section(".BTF.func_info"))
    first_id += len(types)
    first_string += len(type_strings)
    marked = {site for site, marks in marks_of(elf.section(".btf_extra.site_marks"))
              if marks & AFTER_KEY}
    number = 0
    for kind, vlen, name, words in records:
        if kind != 22:
            continue
        name = strings[name - first_string:].split(b"\0", 1)[0].decode()
        for i in range(vlen):
            _, proto, offset = words[3 * i:3 * i + 3]
            if number in marked:
                params = [records[each - first_id][3] for each in records[proto - first_id][3] if each]
                yield "." + name.split(".", 1)[1], offset, [(each[0], each[1:]) for each in params]
            number += 1


class Code:
    """The instructions of some bodies, and what names a place in them from anywhere."""

    def __init__(self, kernel, path, bodies):
        self.kernel = kernel
        self.steps = {}
        self.named = collections.defaultdict(set)  # addresses of the lines that name an address
        ranges = sorted({each for body in bodies for each in body})
        begins = [each[0] for each in ranges]
        tops = []  # the greatest end so far
        for _, end in ranges:
            tops.append(max(end, tops[-1] if tops else 0))
        line_of = re.compile(r"^\s*([0-9a-f]{16}):\t(.*)$")
        in_text = re.compile(r"\b(?:0x)?(f{8}[0-9a-f]{8})\b")
        last = None

        def inside(address):
            at = bisect.bisect_right(begins, address) - 1
            return at >= 0 and address < tops[at]

        process = subprocess.Popen(["objdump", "-d", "-w", "--no-show-raw-insn", path],
                                   stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            match = line_of.match(line)
            if not match:
                continue
            address, text = int(match.group(1), 16), match.group(2)
            for target in in_text.findall(text):
                place = int(target, 16)
                if inside(place):
                    self.named[place].add(address)
            if last and last[0] not in self.steps:
                self.keep(last, address)
            last = (address, text) if inside(address) else None
        if process.wait() != 0:
            sys.exit("after_key: objdump failed")
        self.add_data(inside)
        for table in (kernel.keys, kernel.fixups):
            for code, target in table.items():
                self.named[target].add(code)
        self.order = sorted(self.steps)

    def keep(self, line, following):
        address, text = line
        words = text.split("#")[0].split(None, 1)
        while words and words[0] in ("lock", "rep", "repz", "repnz", "data16", "notrack", "bnd",
                                     "cs", "ds", "gs") and len(words) > 1:
            prefix = words[0]
            words = words[1].split(None, 1)
            if prefix.startswith("rep"):
                words[0] = prefix + " " + words[0]
                break
        operands = words[1].strip() if len(words) > 1 else ""
        self.steps[address] = Step(address, words[0], operands, following - address)

    def add_data(self, inside):
        for _, kind, address, offset, size, flags in self.kernel.elf.sections:
            if "A" not in flags or kind == "NOBITS" or "X" in flags:
                continue
            words = array.array("Q", self.kernel.elf.data[offset:offset + size // 8 * 8])
            for i, word in enumerate(words):
                if word >> 31 == 0x1ffffffff and inside(word):
                    self.named[word].add(-address - i * 8 - 1)


def split_operands(text):
    return re.split(r",(?![^(]*\))", text) if text else []


WRITES_NOTHING = re.compile(r"(cmp|test)[bwlq]?|bt[wlq]?|nop[wlq]?|pause|j[a-z]+|endbr64")
WRITES_LAST = re.compile(
    r"(mov|lea|add|sub|adc|sbb|and|or|xor|not|neg|inc|dec|shl|shr|sar|sal|rol|ror|bts|btr|imul|pop)"
    r"[bwlq]?|movabs|mov[sz][bwl][wlq]|movslq|cmov[a-z]+|set[a-z]+")
FALLS_NOT = re.compile(r"jmp[wlq]?|ret[wlq]?|iretq?|sysretq?")


def effect(step):
    """(registers that are written, whether memory is). None: not known."""
    if step.name.startswith("call"):
        return CALLER_SAVED, True
    if step.name.startswith("push"):
        return {7}, True
    if WRITES_NOTHING.fullmatch(step.name):
        return set(), False
    if step.name in ("cltq", "cwtl"):
        return {0}, False
    if step.name in ("cltd", "cqto"):
        return {1}, False
    operands = split_operands(step.operands)
    if step.name.startswith(("xchg", "xadd")):
        written = operands
    elif WRITES_LAST.fullmatch(step.name) and operands:
        written = operands[-1:]
    else:
        return None
    registers = {7} if step.name.startswith("pop") else set()
    stores = False
    for operand in written:
        if re.fullmatch(r"%[a-z0-9]+", operand):
            number = numbers_of(operand)
            if number is None:
                return None
            registers.add(number)
        else:
            stores = True
    return registers, stores


def judge(kernel, code, address, params):
    """None if the mark is right, or what is wrong."""
    if address not in kernel.keys:
        return "no static key"
    key = code.steps.get(address)
    if key is None:
        return "no instruction"
    body = kernel.body_at(address)
    after = address + key.size
    following = code.steps.get(after)
    if following is None or after in kernel.keys or after in kernel.calls:
        return "no probe after it"
    if following.name in ("ud2", "int3") or kernel.has_alternative(after):
        return "no probe after it"

    def in_body(place):
        return any(begin <= place < end for begin, end in body)

    # Forward, to every instruction on the way.
    way, open_places, edges = set(), [kernel.keys[address]], collections.defaultdict(set)
    while open_places:
        place = open_places.pop()
        if place == after or place in way:
            continue
        step = code.steps.get(place)
        if step is None or not in_body(place):
            return f"leaves at {place:x}"
        if place == address:
            return "comes to the key again"
        if kernel.has_alternative(place) or place in kernel.fixups:
            return f"not certain at {place:x}"
        way.add(place)
        successors = []
        target = re.match(r"([0-9a-f]{16})\b", step.operands)
        if place in kernel.keys:
            successors += [kernel.keys[place], place + step.size]
        else:
            if step.name.startswith("j"):
                if not target:
                    return f"an indirect jump at {place:x}"
                successors.append(int(target.group(1), 16))
            if not FALLS_NOT.fullmatch(step.name):
                successors.append(place + step.size)
            if not successors:
                return f"ends at {place:x}"
        for successor in successors:
            edges[successor].add(place)
            open_places.append(successor)
    # Backward: each of them comes to the end.
    coming, open_places = set(), [after]
    while open_places:
        for place in edges[open_places.pop()]:
            if place not in coming:
                coming.add(place)
                open_places.append(place)
    if coming != way:
        return "a way does not come back"
    # Nothing else leads in. An instruction that nothing leads to is padding.
    def led_to(place, seen):
        if place in seen:
            return False
        seen.add(place)
        if code.named.get(place) or any(begin == place for begin, _ in body):
            return True
        return any(led_to(before, seen) for before in falling(place))

    def falling(place):
        at = bisect.bisect_left(code.order, place)
        if at == 0:
            return []
        step = code.steps[code.order[at - 1]]
        if step.address + step.size != place:
            return []
        if FALLS_NOT.fullmatch(step.name) and step.address not in kernel.keys and \
                not kernel.has_alternative(step.address):
            return []
        return [step.address]

    for place in way | {after}:
        others = {each for each in code.named.get(place, ()) if each != address} - way
        for other in others:
            if other < 0:
                return f"data names {place:x}"
            return f"{other:x} leads to {place:x}"
        for before in falling(place):
            if before not in way and before != address and led_to(before, set()):
                return f"{before:x} falls to {place:x}"
    # The arguments.
    written, stores = set(), False
    for place in way:
        if place in kernel.keys:
            continue
        what = effect(code.steps[place])
        if what is None:
            return f"unknown {code.steps[place].name} at {place:x}"
        written |= what[0]
        stores |= what[1]
    for param in params:
        flags, values = param
        if flags & CONST:
            continue
        registers = values[:1] if flags & (OFFSET | DEREF) else values
        if written & set(registers):
            return f"an argument in register {registers} is written"
        if flags & DEREF and stores:
            return "an argument in memory may be written"
    return None


ET_EXEC, EM_X86_64 = 2, 62


def main():
    vmlinux, path = sys.argv[1:]
    with open(vmlinux, "rb") as file:
        kind, machine = struct.unpack_from("<HH", file.read(20), 16)
    if kind != ET_EXEC or machine != EM_X86_64:
        marked = sum(marks & AFTER_KEY != 0
                     for _, marks in marks_of(Elf(path).section(".btf_extra.site_marks")))
        print(f"{marked} sites with the mark, none of which can be judged")
        return 1 if marked else 0
    kernel = Kernel(vmlinux)
    bases = {name: address for name, _, address, _, _, _ in kernel.elf.sections}
    sites = [(bases[section] + offset, params)
             for section, offset, params in sites_of(path)]
    places = sorted({address for address, _ in sites})
    bodies = [kernel.body_at(address) for address in places]
    code = Code(kernel, vmlinux, bodies)
    wrong = collections.Counter()
    shown = []
    for address, params in sites:
        verdict = judge(kernel, code, address, params)
        if verdict is not None:
            wrong[re.sub(r"\b[0-9a-f]{8,}\b", "PLACE", verdict)] += 1
            shown.append(f"{address:x} {kernel.function_at(address)[2]}: {verdict}")
    for line in shown[:SHOWN]:
        print(line)
    for verdict, count in wrong.most_common():
        print(f"{count} {verdict}")
    print(f"{len(sites)} sites with the mark, at {len(places)} static keys; {sum(wrong.values())} wrong")
    return 1 if wrong or not sites else 0


if __name__ == "__main__":
    sys.exit(main())
