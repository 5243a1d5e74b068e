#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Copies of the sample module's .btf_extra file, each with one thing wrong, and beside each, in
NAME.expect, what the kernel must say when it refuses it.

usage: hostile_blobs.py SAMPLE.btf_extra OUT-FOLDER
"""

import pathlib
import struct
import sys

LOCSEC, LOC_PROTO, LOC_PARAM = 22, 21, 20
ELEMENT = {LOC_PARAM: (4, 4), LOC_PROTO: (0, 4), LOCSEC: (0, 12)}


def sections(data):
    """name -> (file offset, size) of an ELF64 file."""
    table, = struct.unpack_from("<Q", data, 40)
    size, number, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(number)]
    text = headers[names][4]
    return {data[text + h[0]:data.index(b"\0", text + h[0])].decode(): (h[4], h[5])
            for h in headers if h[1] != 8}


def records(data, blob):
    """(byte in the blob, kind, vlen) of each record of func_info."""
    length, types, types_size = struct.unpack_from("<III", data, blob + 4)
    at = length + types
    end = at + types_size
    while at < end:
        info, = struct.unpack_from("<I", data, blob + at + 4)
        kind, vlen = info >> 24 & 0x7f, info & 0xffffff
        once, each = ELEMENT[kind]
        yield at, kind, vlen
        at += 12 + once + each * vlen


def main():
    sample, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    data = sample.read_bytes()
    places = sections(data)
    info, info_size = places[".BTF.func_info"]
    types, types_size = places[".BTF"]
    all_records = list(records(data, info))
    # The id of the first record of func_info, as a LOCSEC's protos count from it: found from the
    # first LOC_PROTO, whose id the sites name.
    protos = [(i, vlen) for i, (_, kind, vlen) in enumerate(all_records) if kind == LOC_PROTO]
    lists = [(i, at + 12, vlen) for i, (at, kind, vlen) in enumerate(all_records)
             if kind == LOCSEC]
    named = {struct.unpack_from("<I", data, info + at + 12 * n + 4)[0]
             for _, at, vlen in lists for n in range(vlen)}
    first_id = min(named) - min(i for i, _ in protos)
    # The LOCSEC with most entries, and its last entry.
    number, entries, vlen = max(lists, key=lambda each: each[2])
    last = entries + 12 * (vlen - 1)
    proto, = struct.unpack_from("<I", data, info + last + 4)
    arity = dict(protos)[proto - first_id]
    other = next(first_id + i for i, wants in protos if wants != arity)
    where = f"type id {first_id + number}, byte "

    def write(name, changed, expect):
        (out / f"{name}.btf_extra").write_bytes(changed)
        (out / f"{name}.expect").write_text(f"btf_extra_sample: refused: {expect}\n")

    def with_word(name, offset, value, expect):
        changed = bytearray(data)
        struct.pack_into("<I", changed, offset, value)
        write(name, changed, expect)

    out.mkdir(parents=True, exist_ok=True)
    write("cut", data[:len(data) * 2 // 3], "file: type id 0, byte 40: headers or a section end")
    write("short", data[:10], "file: type id 0, byte 0: headers or a section end")
    with_word("build_id", places[".note.gnu.build-id"][0] + 16, 0x12345678, "made for build-id")
    with_word("base", places[".btf_extra.base"][0] + 4, 0,
              "made over base BTF of another kernel")
    with_word("magic", info, 0, ".BTF.func_info: type id 0, byte 0: no BTF magic")
    with_word("wrapping_sum", types + 8, 0xfffffffc,
              ".BTF: type id 0, byte 8: section ends behind the blob")
    changed = bytearray(data)
    changed[types + types_size - 1] = ord("x")
    write("name_without_end", changed,
          ".BTF: type id 0, byte 16: strings are absent or not terminated")
    with_word("func_id", info + last, 0xfffffff0,
              f".BTF.func_info: {where}{last}: LOCSEC entry does not refer to a FUNC")
    with_word("proto_id", info + last + 4, 0xfffffff0,
              f".BTF.func_info: {where}{last + 4}: LOCSEC entry refers to what is no LOC_PROTO")
    with_word("arity", info + last + 4, other,
              f".BTF.func_info: {where}{last + 4}: LOC_PROTO has another number of parameters")
    with_word("unsorted", info + last, 1, f".BTF.func_info: {where}{last}: LOCSEC entries are not")
    with_word("outside", info + last + 8, 0x7ffffff0,
              f".BTF.func_info: {where}{last + 8}: site lies outside the sections")


if __name__ == "__main__":
    main()
