#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The kernel module's bars, measured on stock kernels in virtual machines.

usage: vm_bench.py KERNEL...        names of vm/kernels.list: 6.1, 6.12, 7.x, 6.12-arm64

An instruction of the guest takes a nanosecond of its time, so what is called ns are instructions,
and runs of the same kernel and module agree within a thousandth. Compared figures are from the
same boot; see tests/vm/bench/lookup_bench.c. Exit 1 if a bar was missed or a run failed.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

from bars import bar, conclude, note, same

FOLDER = "tests/vm/bench"
PROGRAMS = ("bench/attach_bench", "bench/phantom_bench", "bench/follow_bench", "audit/audit_guest")
OBJECTS = ("bench/attach_bench.bpf.o", "bench/phantom_bench.bpf.o", "audit/audit.bpf.o")
OUT = pathlib.Path("build/bench/vm")
# The sleep lets the guest's boot finish, so that it does not count. It takes no time here.
GUEST = """
sleep 20
# The data module takes the frames of the firmware file, but the sizes are those without.
insmod /btf_extra.ko && echo Y >/sys/module/btf_extra/parameters/frames &&
    insmod /btf_extra_vmlinux.ko && insmod /lookup_bench.ko
status=$?
dmesg | grep -E 'btf_extra: [0-9]+ object|lookup_bench: '
btf-extra stat --json /lib/firmware/btf_extra/*/vmlinux.btf_extra | tr -d '",' |
    awk '$1 == "bytes_variables:" { variables = $2 }
        $1 == "bytes_expressions:" || $1 == "bytes_repeated_protos:" { expressions += $2 }
        END { print "others: variables=" variables " expressions=" expressions }'
milliseconds() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }
began=$(milliseconds)
btf-extra list '*' >/list
took=$(($(milliseconds) - began))
echo "list: functions=$(wc -l </list) ms=$took"
[ $status = 0 ] && insmod /hit_bench.ko && attach_bench /attach_bench.bpf.o || exit
# Modules with 2,000 stubs, each for a name that one function has.
expose() { btf-extra expose --template /inlined.ko --best-effort "$@"; }
awk '$1 ~ /^vmlinux:[^@]*$/ && $2 !~ /^\(/ && /inlined/ && !/freed/ {
    print substr($1, 9) }' /list | head -n 2700 >/names
expose $(cat /names) 2>/dev/null | sed 's/ .*//; s/__inlined$//' |
    awk 'NR == FNR { known[$1]; next } $1 in known' /names - | head -n 2000 >/chosen
btf-extra expose --remove
expose --output /many.ko $(cat /chosen) | wc -l | sed 's/^/stubs: /'
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
phantom_bench /many*.ko
follow_bench $(awk '$1 ~ /^vmlinux:[^@]*$/ && / partially inlined/ && !/freed/ {
    print substr($1, 9) }' /list | awk 'NR % 10 == 0')
awk '$1 ~ /^vmlinux:[^@]*$/ && / partially inlined/ && !/freed/ { print substr($1, 9) }' /list >/held_names
audit_guest /audit.bpf.o --hold /held_names 50 >/held &
until [ -s /held ] || ! kill -0 $!; do sleep 1; done
began=$(milliseconds)
btf-extra audit >/audited
took=$(($(milliseconds) - began))
echo "audit: programs=$(awk '{ sum += $2 } END { print sum }' /held) ms=$took"
kill $!
"""

Cost = collections.namedtuple("Cost", "lookups ns sites")

def run(kernel):
    """The log of the guest's kernel, line by line."""
    modules = pathlib.Path(subprocess.run(["vm/build-modules.sh", kernel, FOLDER], check=True,
                                          stdout=subprocess.PIPE, text=True).stdout.strip())
    files = OUT / kernel
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir(parents=True)
    for module in ("kernel/btf_extra.ko", "kernel/data/btf_extra_vmlinux.ko",
                   f"{FOLDER}/lookup_bench.ko"):
        shutil.copy(modules / module, files)
    built, strip = pathlib.Path("build/release"), "strip"
    if kernel.endswith("-arm64"):
        built, strip = pathlib.Path("build/arm64"), "aarch64-linux-gnu-strip"
    subprocess.run([strip, "-g", "-o", files / "inlined.ko",
                    modules / "kernel/inlined/inlined.ko"], check=True)
    shutil.copy(modules / FOLDER / "hit_bench.ko", files)
    release = subprocess.run(["modinfo", "-F", "vermagic", files / "hit_bench.ko"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout.split()[0]
    subprocess.run(["build/release/btf-extra", "firmware", "-o",
                    files / "lib/firmware/btf_extra" / release, "--vmlinux", modules / "vmlinux",
                    files / "hit_bench.ko"], check=True, stdout=subprocess.DEVNULL)
    for name in OBJECTS:
        shutil.copy(built / "vm" / name, files)
    subprocess.run(["vm/add-program.sh", files, *(built / "vm" / name for name in PROGRAMS),
                    built / "btf-extra"], check=True)
    return subprocess.run(["vm/run.sh", kernel, "--icount", "--append", "nokaslr", "--files", files,
                           "--", "sh", "-c", GUEST],
                          check=True, stdout=subprocess.PIPE, text=True).stdout


def bench(kernel):
    log = run(kernel)
    loaded = re.search(r"(\d+) functions, (\d+) sites, (\d+) bytes, (\d+) ms", log)
    functions, sites, size, load_ms = map(int, loaded.groups())
    costs = {what: Cost(*map(int, numbers)) for what, *numbers in
             re.findall(r"lookup_bench: (\w+) look-ups=(\d+) ns=(\d+) sites=(\d+)", log)}
    each = {what: cost.ns / cost.lookups for what, cost in costs.items()}
    # If the numbers differ, the keys were not drawn from all functions and sites.
    if costs["functions"] != Cost(functions, 0, sites):
        sys.exit(f"vm_bench: {kernel}: {costs['functions']}, not {functions} functions, "
                 f"{sites} sites")

    print(f"Linux {kernel}: {functions} functions, {sites} sites; costs in instructions")
    for what in ("id", "name", "name_body", "address", "frames", "kallsyms_name",
                 "kallsyms_address"):
        note(f"{what}, one of {costs[what].lookups} look-ups", each[what])
    bar("look-up by name, times as fast as kallsyms_lookup_name()",
        each["kallsyms_name"] / each["name"], 5, at_least=True)
    note("its bodies alone", each["kallsyms_name"] / each["name_body"])
    note("look-up by id, times as fast as kallsyms_lookup_name()",
         each["kallsyms_name"] / each["id"])
    note("look-up by address, times as fast as sprint_symbol()",
         each["kallsyms_address"] / each["address"])
    bar("look-up of the chain at an address, of sprint_symbol()",
        each["frames"] / each["kallsyms_address"], 3)
    note("functions in a chain", costs["frames"].sites / costs["frames"].lookups)
    note("load, in walks over all symbols of kallsyms",
         load_ms * 1e6 / each["kallsyms_walk"])
    note("load, a site", load_ms * 1e6 / sites)
    others = re.search(r"others: variables=(\d+) expressions=(\d+)", log)
    variables, expressions = map(int, others.groups())
    note("memory of variables, MB", variables / 1e6)
    bar("memory of expressions, bytes a site", expressions / sites, 0.6)
    bar("memory of the rest, bytes a site", (size - variables - expressions) / sites, 25)
    listed, list_ms = map(int, re.search(r"list: functions=(\d+) ms=(\d+)", log).groups())
    note("functions of list '*'", listed)
    bar("list '*' of the running kernel", list_ms / 1000, 1, " s")
    programs, audit_ms = map(int, re.search(r"audit: programs=(\d+) ms=(\d+)", log).groups())
    bar(f"audit of the {programs} functions that one tool has programs at", audit_ms / 1000, 1, " s")
    measured = {what: (int(count), int(ns)) for what, count, ns in
                re.findall(r"attach_bench: (\w+) count=(\d+) ns=(\d+)", log)}
    bench_attach(measured)
    bench_follow(measured)
    bench_phantoms(measured, int(re.search(r"stubs: (\d+)", log).group(1)))


def bench_attach(measured):
    def each(what):
        count, ns = measured[what]
        return ns / count

    for program in ("empty", "argument"):
        for how in ("jump", "breakpoint"):
            what = f"{program}_{how}"
            if f"none_{what}" not in measured:
                continue
            module = each(f"module_{what}") - each(f"none_{what}")
            perf = each(f"perf_{what}") - each(f"none_{what}")
            note(f"a hit by {how}, program \"{program}\", perf", perf)
            note(f"a hit by {how}, program \"{program}\", module", module)
            # A breakpoint alone costs more than everything that the module does.
            if how == "jump":
                bar(f"a hit by {how}, program \"{program}\", of perf", module / perf, 0.8)
            else:
                note(f"a hit by {how}, program \"{program}\", of perf", module / perf)
    for how in ("jump", "breakpoint"):
        if f"none_expression_{how}" not in measured:
            continue
        cost = {what: each(f"module_{what}_{how}") - each(f"none_{what}_{how}")
                for what in ("argument", "expression")}
        note(f"a hit by {how}, program \"argument\", the sum of two registers", cost["expression"])
        bar(f"a hit by {how}, the sum, more than a register",
            cost["expression"] - cost["argument"], 60)
    note("attach: sites", measured["attach_module"][0])
    bar("attach, of perf", each("attach_module") / each("attach_perf"), 0.8)
    bar("detach, of perf", each("detach_module") / each("detach_perf"), 0.02)


def bench_follow(measured):
    def each(what):
        count, ns = measured[what]
        return ns / count

    print("        follow:")
    hit, phantom = (each(what) - each("none_both") for what in ("followed_both", "fentry_both"))
    note("a hit of a followed program", hit)
    bar("a hit of a followed program, of a phantom's", hit / phantom, 0.9)
    note("its time for the first program", measured["follow_first"][1] / 1e6, " ms")
    bar("its time for a program", measured["follow_one"][1] / 1e6, 20, " ms")
    bar(f"its time for {measured['follow_many'][0]} programs", measured["follow_many"][1] / 1e9, 2,
        " s")
    note(f"of this: to attach at {measured['follow_attach'][0]} sites",
         measured["follow_attach"][1] / 1e9, " s")
    same("wakeups in ten idle seconds", measured["follow_idle"][0], 0)


def bench_phantoms(measured, stubs):
    def each(what):
        count, ns = measured[what]
        return ns / count

    own = each("fentry_body") - each("none_body")
    note("an empty fentry program at a function with a body", own)
    for name, args in (("call", "one argument in a register"),
                       ("three", "three arguments in memory")):
        def above(what, of=name):
            return each(f"{what}_{of}") - each(f"none_{of}")

        print(f"        a hit of a stub, {args}:")
        hit, probe, bare, stub = map(above, ("fentry", "probe", "bare", "stub"))
        note("an empty fentry program", hit)
        note("of this: the probe", probe)
        note("of this: a call of the stub", bare - probe)
        note("of this: the arguments", stub - bare)
        note("of this: the trampoline and the program", hit - stub)
        above_own = "more than the program at the function with a body"
        # A breakpoint alone is more than 200 ns.
        if name == "call" and "none_empty_jump" in measured:
            bar(above_own, hit - own, 200)
        else:
            note(above_own, hit - own)
        bar("a hit, of perf whose program takes the same arguments",
            hit / above("perf_takes"), 1.8)
        for what, says in (("perf_empty", "perf kprobe, no arguments"),
                           ("perf_takes", "perf kprobe whose program takes the arguments"),
                           ("event_empty", "perf event of tracefs, no arguments"),
                           ("event_goes_on", "perf event of tracefs, with the arguments")):
            note(says, above(what))
            note("  the hit, of that", hit / above(what))

    note("sites that are armed", measured["arm"][0])
    bar("attached to armed, of perf", each("arm") / each("arm_perf"), 1 / 3)
    bar("disarmed after detaching", measured["disarm"][1] / 1e9, 1, " s")
    note("stubs", stubs)
    bar("insmod of them", measured["insmod"][1] / 1e9, 1.5, " s")
    bar("available_filter_functions with them, of without",
        each("functions_with") / each("functions_without"), 1.5)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: vm_bench.py KERNEL...")
    for kernel in sys.argv[1:]:
        try:
            bench(kernel)
        except subprocess.CalledProcessError as error:
            print(error.stdout or "", end="")
            sys.exit(f"vm_bench: {kernel}: {error.cmd[0]}: exit code {error.returncode}")
        sys.stdout.flush()
    conclude()


if __name__ == "__main__":
    main()
