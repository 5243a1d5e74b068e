#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Makes a kernel that trusts another key: a copy of a vmlinux, to boot in a virtual machine, with that
certificate in the place of those that were built into it.

usage: trust-certificate.py VMLINUX CERTIFICATE OUT      VMLINUX: with symbols; CERTIFICATE: DER

Exit 1 if the certificate is longer than the others.
"""

import pathlib
import struct
import subprocess
import sys

PT_LOAD = 1


def symbols(vmlinux):
    lines = subprocess.run(["nm", vmlinux], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: int(address, 16)
            for address, _, name in (line.split() for line in lines.splitlines() if line[0] != " ")}


def offset_in(elf, address):
    """Where in the file of a 64-bit kernel the bytes of an address are."""
    table, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        kind, _, offset, start, _, length = struct.unpack_from("<IIQQQQ", elf, table + i * size)
        if kind == PT_LOAD and start <= address < start + length:
            return offset + address - start
    sys.exit(f"trust-certificate: {address:#x} is in no segment")


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: trust-certificate.py VMLINUX CERTIFICATE OUT")
    vmlinux, certificate, out = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes(), sys.argv[3]
    known = symbols(vmlinux)
    subprocess.run(["strip", "-o", out, vmlinux], check=True)
    elf = bytearray(pathlib.Path(out).read_bytes())
    place = offset_in(elf, known["system_certificate_list"])
    size = offset_in(elf, known["system_certificate_list_size"])
    room, = struct.unpack_from("<Q", elf, size)
    if len(certificate) > room:
        sys.exit(f"trust-certificate: {len(certificate)} bytes, and there is room for {room}")
    elf[place:place + room] = certificate.ljust(room, b"\0")
    struct.pack_into("<Q", elf, size, len(certificate))
    pathlib.Path(out).write_bytes(elf)


if __name__ == "__main__":
    main()
