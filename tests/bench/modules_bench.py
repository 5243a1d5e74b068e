#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""Size of what a kernel build with CONFIG_DEBUG_INFO_BTF_EXTRA installs, against its bars: all
modules of Debian's 6.1, and the data module of that kernel.

usage: modules_bench.py

The modules come in a package of 300 MB, which is fetched once. Exit 1 if a bar was missed or a
module failed.
"""

import concurrent.futures
import lzma
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from bars import bar, conclude, note

KERNEL = "6.1-cloud-amd64"
COMMAND = "build/release/btf-extra"

def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def section_sizes(path):
    """By name, of an ELF file."""
    listed = output_of("readelf", "-SW", path)
    return {name: int(size, 16) for name, size in
            re.findall(r"\] (\.\S+) +\w+ +\w+ \w+ (\w+) ", listed)}


def sizes_of(job):
    """(of its .BTF, of our .BTF.func_info, of our types), or None where the module has no BTF."""
    installed, debug, vmlinux = job
    own = section_sizes(installed).get(".BTF", 0)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "module.btf_extra"
        subprocess.run([COMMAND, "generate", "--vmlinux", vmlinux, "-o", out, debug], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ours = section_sizes(out)
    return own, ours.get(".BTF.func_info", 0), ours.get(".BTF", 0)


def bench_modules(vmlinux):
    kernel = pathlib.Path(output_of("vm/fetch-kernel.sh", KERNEL))
    installed = {path.stem: path for path in (kernel / "modules").resolve().rglob("*.ko")}
    tree = pathlib.Path(output_of("vm/fetch-modules.sh", KERNEL, "all"))
    debug = {path.stem: path for path in (tree / "usr/lib/debug").rglob("*.ko")}
    jobs = [(path, debug[name], vmlinux) for name, path in sorted(installed.items())]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sizes = list(pool.map(sizes_of, jobs))
    own, func_info, types = (sum(column) for column in zip(*sizes))
    print(f"{len(sizes)} modules of {KERNEL}")
    note("their own .BTF", own / 1e6, " MB")
    note("our types, which a kernel build merges into .BTF", types / 1e6, " MB")
    note("our .BTF.func_info", func_info / 1e6, " MB")
    note(".BTF.func_info, of the size of the own .BTF", func_info / own)
    bar(".BTF.func_info, of the size of .BTF in a built module", func_info / (own + types), 1, "")


def bench_data_module():
    modules = pathlib.Path(output_of("vm/build-modules.sh", "6.1"))
    with tempfile.TemporaryDirectory() as folder:
        stripped = pathlib.Path(folder) / "btf_extra_vmlinux.ko"
        subprocess.run(["strip", "-g", "-o", stripped,
                        modules / "kernel/data/btf_extra_vmlinux.ko"], check=True)
        data = stripped.read_bytes()
    print(f"data module of {KERNEL}")
    note("btf_extra_vmlinux.ko", len(data) / 1e6, " MB")
    # Kbuild compresses modules like this.
    packed = lzma.compress(data, check=lzma.CHECK_CRC32,
                           filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}])
    bar("btf_extra_vmlinux.ko.xz", len(packed) / 1e6, 3.0, " MB")


def main():
    bench_data_module()
    bench_modules(output_of("vm/fetch-vmlinux.sh", KERNEL))
    conclude()


if __name__ == "__main__":
    main()
