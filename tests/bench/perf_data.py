# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Writes stacks of the kernel as perf record would have, by the format that the kernel's
tools/perf/Documentation/perf.data-file-format.txt describes."""

import re
import struct
import subprocess

_CONTEXT_KERNEL = -128 & (1 << 64) - 1
_MMAP, _COMM, _SAMPLE = 1, 3, 9
_KERNEL = 1       # whose record it is
_SAMPLES = 0x27   # they have the address, the thread, the time and the callers
_ATTR_SIZE = 112
_HEADER_SIZE = 104


def _record(kind, misc, payload):
    return struct.pack("<IHH", kind, misc, 8 + len(payload)) + payload


def _text(name):
    encoded = name.encode() + b"\0"
    return encoded + bytes(-len(encoded) % 8)


def text_of(vmlinux):
    """Where .text of a vmlinux begins and ends."""
    listed = subprocess.run(["readelf", "-SW", vmlinux], check=True, stdout=subprocess.PIPE,
                            text=True).stdout
    address, size = re.search(r"\] \.text +\w+ +(\w+) \w+ (\w+) ", listed).groups()
    return int(address, 16), int(address, 16) + int(size, 16)


def write_perf_data(path, kernel_text, stacks):
    """kernel_text: where the kernel's text begins and ends. Each stack has its addresses, innermost
    first."""
    begin, end = kernel_text
    records = [_record(_MMAP, _KERNEL, struct.pack("<iIQQQ", -1, 0, begin, end - begin, begin) +
                       _text("[kernel.kallsyms]_text")),
               _record(_COMM, 0, struct.pack("<II", 1, 1) + _text("traced")[:16].ljust(16, b"\0"))]
    for number, stack in enumerate(stacks):
        chain = [_CONTEXT_KERNEL, *stack]
        records.append(_record(_SAMPLE, _KERNEL,
                               struct.pack("<QIIQQ", stack[0], 1, 1, 1000 + number, len(chain)) +
                               struct.pack(f"<{len(chain)}Q", *chain)))
    data = b"".join(records)
    attr = struct.pack("<IIQQQ", 1, _ATTR_SIZE, 0, 1, _SAMPLES).ljust(_ATTR_SIZE, b"\0")
    attrs = attr + struct.pack("<QQ", 0, 0)  # and that there are no ids
    header = struct.pack("<8sQQQQQQQQ", b"PERFILE2", _HEADER_SIZE, len(attrs),
                         _HEADER_SIZE, len(attrs), _HEADER_SIZE + len(attrs), len(data),
                         0, 0) + bytes(32)
    with open(path, "wb") as out:
        out.write(header + attrs + data)
