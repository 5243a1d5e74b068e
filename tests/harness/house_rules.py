#!/usr/bin/env python3
# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The rules that can be checked by reading the sources: directions of includes, licences, words,
style, nothing generated, nothing of one machine. Each rule is a test of check.sh.

usage: house_rules.py RESULTS
"""

import os
import pathlib
import posixpath
import re
import socket
import subprocess
import sys

import plain_words

TOP = pathlib.Path(__file__).resolve().parents[2]

# These folders may include these: the first folder that fits decides. Includes are written from the
# top of the tree; within kernel/ from there; in the core, which userspace compiles too, as seen from
# the file. Each folder of kernel/ stands after those that it may include.
FORMAT = ("userspace/format/", "kernel/core/")
CODE = ("userspace/code/", *FORMAT)
TEXTS = ("userspace/text/", *FORMAT)
DWARF = ("userspace/generator/dwarf/", "userspace/generator/model/", *FORMAT)
LOCATIONS = ("userspace/generator/locations/", *DWARF)
TYPES = ("userspace/generator/types/", *DWARF)
CORE = ("kernel/core/", "include/uapi/")
OBJECTS = ("kernel/objects/", "kernel/compat/", "kernel/arch/", "include/", *CORE)
QUERY = ("kernel/query/", *OBJECTS)
KLOC = ("kernel/kloc/", *QUERY)
PHANTOMS = ("kernel/phantoms/", *KLOC)
FENTRY = ("kernel/fentry/", *PHANTOMS)
# The parts of the library. Each is on top of those before it.
TABLES = ("userspace/lib/tables/", "include/uapi/", *TEXTS)
PROBING = ("userspace/lib/probing/", *TABLES, *CODE)
ATTACH = ("userspace/lib/attach/", "userspace/lib/btf_extra.h", "userspace/bpf/btf_loc.bpf.h", *PROBING)
LIBRARY = ("userspace/lib/", *ATTACH)
STACKS = ("userspace/stacks/", "userspace/host/", *LIBRARY)
# The command uses the generator only through its doors.
CLI = ("userspace/cli/", "userspace/audit/", "userspace/follow/", "userspace/phantoms/", "userspace/trace/",
       *STACKS)
MAY_INCLUDE = {
    "include/uapi/": (),
    "kernel/core/": CORE,
    "kernel/compat/": ("kernel/compat/",),
    "kernel/arch/": ("kernel/arch/", *CORE),
    "kernel/objects/": OBJECTS,
    "kernel/sources/": ("kernel/sources/", *OBJECTS),
    "kernel/query/": QUERY,
    "kernel/kloc/": KLOC,
    "kernel/phantoms/": PHANTOMS,
    "kernel/fentry/": FENTRY,
    "kernel/doors/": ("kernel/doors/", "kernel/sources/", *FENTRY),
    "kernel/inlined/": ("kernel/inlined/", *PHANTOMS),
    "kernel/data/": ("kernel/data/", "include/"),
    "kernel/module_main.c": ("kernel/", "include/"),
    "kernel/tests/": ("kernel/", "include/", "tests/core/"),
    "userspace/bpf/": ("userspace/bpf/", "include/uapi/"),
    "userspace/format/": FORMAT,
    "userspace/code/": CODE,
    "userspace/text/": TEXTS,
    "userspace/lib/tables/": TABLES,
    "userspace/lib/probing/": PROBING,
    "userspace/lib/attach/": ATTACH,
    "userspace/lib/": LIBRARY,
    "userspace/generator/model/": ("userspace/generator/model/", *FORMAT),
    "userspace/generator/flow/": ("userspace/generator/flow/", "userspace/generator/model/"),
    "userspace/generator/dwarf/": DWARF,
    "userspace/generator/locations/": LOCATIONS,
    "userspace/generator/types/": TYPES,
    # The reader and the writer share only the model.
    "userspace/generator/sites/": ("userspace/generator/sites/", "userspace/generator/flow/",
                                   *LOCATIONS, *TYPES, *CODE),
    "userspace/generator/write/": ("userspace/generator/write/", *TYPES),
    "userspace/generator/": ("userspace/generator/", *FORMAT),
    "userspace/phantoms/": ("userspace/phantoms/", "userspace/generator/write/btf_builder.h",
                            "userspace/generator/write/section_writer.h", *LIBRARY),
    "userspace/host/": ("userspace/host/", "userspace/phantoms/",
                        "userspace/generator/firmware_tree.h", *LIBRARY),
    "userspace/stacks/": STACKS,
    "userspace/audit/": ("userspace/audit/", *LIBRARY),
    "userspace/follow/": ("userspace/follow/", *LIBRARY),
    "userspace/trace/": ("userspace/trace/", "userspace/bpf/trace_event.h", *STACKS),
    "userspace/cli/generate.cpp": ("userspace/generator/generate.h",
                                   "userspace/generator/module_embed.h", *CLI),
    "userspace/cli/firmware.cpp": ("userspace/generator/firmware_tree.h", *CLI),
    "userspace/cli/": CLI,
    "tests/": ("tests/", "userspace/", "kernel/core/", "include/uapi/"),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def source_files():
    """Relative paths of what is tracked, or could be; all but build/ where there is no git."""
    command = ["git", "-c", f"safe.directory={TOP}", "-C", str(TOP), "ls-files", "-z",
               "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        paths = listed.rstrip("\0").split("\0")
    except (OSError, subprocess.CalledProcessError):
        paths = [path.relative_to(TOP).as_posix() for path in TOP.rglob("*")]
        paths = [path for path in paths if not path.startswith((".git/", "build/"))]
    return sorted({path for path in paths if (TOP / path).is_file()})


FILES = source_files()
TEXT = {path: (TOP / path).read_text(errors="replace") for path in FILES}


def c_family():
    return [path for path in FILES if path.endswith((".c", ".h", ".cpp"))]


def scripts():
    return [path for path in FILES if path.endswith(".sh")
            or TEXT[path].startswith(("#!/bin/sh", "#!/usr/bin/env bash"))]


def quoted_includes(path):
    """(as written, path from the top or None) of each."""
    for bracket, name in INCLUDE.findall(TEXT[path]):
        if bracket == '"':
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            places = (f"kernel/{name}", beside) if path.startswith("kernel/") else (name, beside)
            found = [p for p in places if p in TEXT]
            yield name, found[0] if found else None


def include_directions():
    for path in c_family():
        folder = next((f for f in MAY_INCLUDE if path.startswith(f)), None)
        if folder is None:
            if path.startswith("kernel/"):
                yield f"{path}: what its folder may include is in no rule"
            continue
        for name, target in quoted_includes(path):
            if target is None:
                yield f'{path}: "{name}" is no file of the tree'
            elif not target.startswith(MAY_INCLUDE[folder]):
                yield f"{path}: must not include {target}"
            elif folder == "kernel/core/":
                if "/" in name and name == target:
                    yield f'{path}: "{name}" should be written as seen from the file'
            elif folder.startswith("kernel/") and target.startswith("kernel/"):
                if f"kernel/{name}" != target:
                    yield f'{path}: "{name}" should be written from kernel/'
            elif ".." in name and not path.endswith((".c", ".h")):
                yield f'{path}: "{name}" should be written from the top of the tree'


def no_circles():
    """No folder of kernel/ may include one that may include it."""
    kernel = [folder for folder in MAY_INCLUDE
              if folder.startswith("kernel/") and folder not in ("kernel/tests/", "kernel/module_main.c")]
    for number, folder in enumerate(kernel):
        for above in kernel[number + 1:]:
            if above in MAY_INCLUDE[folder]:
                yield f"{folder} may include {above}, which is listed after it"
        for listed in MAY_INCLUDE[folder]:
            if listed.startswith("kernel/") and listed not in kernel:
                yield f"{folder} may include {listed}, which has no rule of its own"


# A definition in the kernel's style: its body begins with a brace in the first column.
FUNCTION = re.compile(r"^(?!typedef\b)(\w[\w \t*\n]*?[\s*])(\w+)\([^;{}]*\)[\w \t\n]*\n\{", re.MULTILINE)


def distinct_names():
    """A function of the kernel side has a distinct name, because a stack trace shows nothing else."""
    defined = {}
    for path in c_family():
        if not path.startswith("kernel/") or path.startswith("kernel/tests/"):
            continue
        code = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), TEXT[path])
        for before, name in FUNCTION.findall(code):
            if "static" in before.split() and "_" not in name:
                yield f"{path}: {name}(): a static function has the noun of its file in its name"
            if path.endswith(".c"):
                # One architecture is in a build.
                file = "kernel/arch/" if path.startswith("kernel/arch/") else path
                defined.setdefault(name, set()).add(file)
    for name, files in sorted(defined.items()):
        if len(files) > 1:
            yield f"{name}() is defined in {' and in '.join(sorted(files))}"


def core_environment():
    for path in c_family():
        if path == "kernel/core/core_env.h":
            continue
        if re.search(r"^\s*#.*\b__KERNEL__\b", TEXT[path], re.MULTILINE):
            yield f"{path}: __KERNEL__ belongs into kernel/core/core_env.h"
        if path.startswith("kernel/core/"):
            for bracket, name in INCLUDE.findall(TEXT[path]):
                if bracket == "<":
                    yield f"{path}: <{name}> belongs into kernel/core/core_env.h"


# The files that may know one architecture; and the tests, which expect what it does.
ARCH_HOMES = ("kernel/core/loc_arch", "kernel/arch/", "kernel/tests/",
              "userspace/code/kprobe_refusal", "userspace/generator/sites/instructions",
              "userspace/bpf/btf_loc.bpf.h", "userspace/lib/tables/attach_rules.cpp")
ARCH_FACTS = re.compile(
    r"\b(r(ax|bx|cx|dx|si|di|bp|sp|8|9|1[0-5])|orig_(ax|x0))\b"   # registers
    r"|\bregs(->|\.)\w"                                          # fields of struct pt_regs
    r"|\bX86_|\bARM64_|\bCS_ARCH_|<capstone/|\b(?i:endbr)"       # instructions
    r"|\b(EM_(X86_64|AARCH64)|LOC_MACHINE_\w+|CONFIG_(X86|ARM64)\w*|__(x86_64|aarch64)__)\b")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def architectures_have_homes():
    for path in c_family():
        if not path.startswith(("kernel/", "userspace/", "include/")) or path.startswith(ARCH_HOMES):
            continue
        # Comments may have examples.
        code = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), TEXT[path])
        for number, line in enumerate(code.splitlines(), 1):
            if ARCH_FACTS.search(line):
                yield f"{path}:{number}: belongs into the home of its architecture: {line.strip()}"


def licences():
    """The lines of SPDX, and the texts of what they name in LICENSES/."""
    # A patch has the licence of the files that it changes.
    bare = re.compile(r"^(LICENSES/|kernel/patches/|tests/vm/selftests/.*\.txt$)")
    named = set()
    for path in FILES:
        if bare.search(path):
            continue
        line = re.search(r"SPDX-License-Identifier: (.*)", "\n".join(TEXT[path].splitlines()[:2]))
        if line:
            named.update(re.findall(r"[\w.-]*\w", line.group(1)))
        else:
            yield f"{path}: no SPDX-License-Identifier in its first two lines"
    named -= {"OR", "WITH"}
    kept = {path[len("LICENSES/"):-len(".txt")] for path in FILES if path.startswith("LICENSES/")}
    for licence in sorted(named ^ kept):
        yield f"LICENSES/{licence}.txt: is missing, or no file is under it"


def one_version():
    """kernel/core/version.h has it; who cannot read it there repeats it, and is compared."""
    version = re.search(r'^#define BTF_EXTRA_VERSION "(\d+)\.(\d+)"$', TEXT["kernel/core/version.h"],
                        re.MULTILINE)
    if not version:
        yield "kernel/core/version.h: no version MAJOR.MINOR"
        return
    major, minor = map(int, version.groups())
    if f"LIBBTF_EXTRA_{major} {{" not in TEXT["userspace/lib/libbtf_extra.map"]:
        yield f"userspace/lib/libbtf_extra.map: the symbols are not of version {major}"
    # The version that a kernel build asks for, in figures and in words: 100 times the major plus
    # the minor.
    kconfig = TEXT["kernel/Kconfig"]
    figures = {int(n) for n in re.findall(r"BTF_EXTRA_VERSION (?:>=|<) (\d+)", kconfig)}
    words = {100 * int(a) + int(b) for a, b in re.findall(r"(\d+)\.(\d+)\s+or\s+later", kconfig)}
    if len(figures) != 1 or figures != words:
        yield f"kernel/Kconfig: asks for {sorted(figures)} and says {sorted(words)}"
    elif not 100 * major <= max(figures) <= 100 * major + minor:
        yield f"kernel/Kconfig: asks for {max(figures)} of a generator {major}.{minor}"


README_LINES = 160


def documents():
    """README is short, and links lead somewhere: [text](file#heading) as seen from the document."""
    if TEXT["README.md"].count("\n") > README_LINES:
        yield f"README.md: more than {README_LINES} lines"
    for path in FILES:
        if not path.endswith(".md"):
            continue
        for target in re.findall(r"\]\(([^)\s]*)\)", TEXT[path]):
            if "://" in target:
                continue
            name, _, heading = target.partition("#")
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
            if file not in TEXT and not (TOP / file).is_dir():
                yield f"{path}: {target} leads nowhere"
            elif heading and heading not in headings(file):
                yield f"{path}: {target}: no such heading"


def headings(path):
    """The anchors of a document's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ +(.*)$", TEXT[path], re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def plain_prose():
    """No phrase of plain_words.py is in the prose of the tree, and that rule finds its own examples."""
    yield from plain_words.example_faults()
    for path in FILES:
        if not path.startswith("LICENSES/") and not path.endswith("plain_words.py"):
            yield from plain_words.file_faults(path, TEXT[path])


def comment_openings():
    """Comments are sentences: none begins as a clause does."""
    fragment = re.compile(r"^\s*(?://|/\*\*?|\*|#)\s*(Of|What|Whether|Where|Those|Anew|All but)\s")
    for path in FILES:
        if not path.endswith((".c", ".h", ".cpp", ".S", ".py", ".sh", "Makefile", "Kbuild")):
            continue
        before = ""
        for number, line in enumerate(TEXT[path].splitlines(), 1):
            begins = not re.match(r"\s*(//|\*|#)\s*\S", before)
            if begins and fragment.match(line):
                yield f"{path}:{number}: {line.strip()}"
            before = line


def syzkaller_description():
    """Same structs, same fields in the same order. A BPF program reads btf_extra_arg, no ioctl does."""
    header = (TOP / "include/uapi/linux/btf_extra.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    wanted = {name: re.findall(r"(\w+)(?:\[\w+\])?;", body)
              for name, body in re.findall(r"struct (\w+) \{(.*?)\n\};", header, re.DOTALL)}
    text = (TOP / "kernel/doors/syzkaller.txt").read_text(encoding="utf-8")
    found = {name: re.findall(r"^\t(\w+)", body, re.MULTILINE)
             for name, body in re.findall(r"^(\w+) \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE)}
    for name in sorted((set(wanted) | set(found)) - {"btf_extra_arg"}):
        if wanted.get(name) != found.get(name):
            yield f"kernel/doors/syzkaller.txt: struct {name} is not that of the UAPI header"


def nothing_generated():
    generated = re.compile(r"(^build/|(^|/)\.checkpatch-|\.(o|a|so|ko|d|pyc|deb|btf_extra|mod|symvers)$|(^|/)vmlinux$)")
    for path in FILES:
        if generated.search(path) or "\0" in TEXT[path]:
            yield f"{path}: is made by something, or no text"


def nothing_of_one_machine():
    # Brackets keep the patterns from finding themselves.
    patterns = [r"(^|[^\w./-])/(hom[e]|roo[t]|User[s]|wor[k])/\w",
                r"https?://[a-z.]*(debia[n]|np[m])", r"\.(interna[l]|corp|lan|local)\b(?![(.])"]
    host = socket.gethostname()
    if len(host) > 5 and re.search(r"\d", host):
        patterns.append(r"\b" + re.escape(host) + r"\b")
    anything = re.compile("|".join(patterns), re.MULTILINE)
    for path in FILES:
        for number, line in enumerate(TEXT[path].splitlines(), 1):
            if anything.search(line):
                yield f"{path}:{number}: {line.strip()}"


# The text of a statement before its TRY: nothing, a variable that it gives a value, or one whose
# constructor takes nothing else first. Clauses of control may come before.
TRY_ALONE = re.compile(
    r"\s*((if|for|while|switch) \(.*\)\s+|else\s+|do\s+|case [\w:]+:\s+|default:\s+)*"
    r"(|(if \()?[^()=]*(\(\)[^()=]*)*[^()=!<>]\s=\s+\*?|for \([^()=]* : \*?"
    r"|(?!return\b)[\w:<>*&]+ \w+\()", re.DOTALL)
FOR_CLAUSES = re.compile(r"\bfor \([^;{}]*;[^;{}]*;[^{};]*?\)(?=\s)")


def try_stands_alone():
    """TRY stands alone or initializes a variable: GCC 12.2 does not destroy what the same statement
    made before it if it returns."""
    for path in c_family():
        if not path.startswith(("userspace/", "tests/")) or "TRY(" not in TEXT[path]:
            continue
        code = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), TEXT[path])
        code = re.sub(r'"(\\.|[^"\\\n])*"', '""', code)
        code = re.sub(r"^\s*#.*(\\\n.*)*$", "", code, flags=re.MULTILINE)
        code = FOR_CLAUSES.sub("for ()", code)
        for found in re.finditer(r"\bTRY\(", code):
            before = re.split(r"[;{}]", code[:found.start()])[-1]
            if not TRY_ALONE.fullmatch(before):
                yield f"{path}: {' '.join((before + 'TRY(').split())}"


def complaints(command, paths):
    """The output of a checker about the files; nothing if it succeeds."""
    if not paths:
        return []
    done = subprocess.run(command + paths, cwd=TOP, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    return (done.stdout + done.stderr).splitlines() or [f"{command[0]}: exit {done.returncode}"]


def cpp_format():
    paths = [path for path in FILES
             if path.startswith(("userspace/", "tests/")) and path.endswith((".cpp", ".h"))
             and not path.startswith(("tests/core/", "tests/fixtures/", "userspace/bpf/",
                                      "userspace/lib/btf_extra.h"))]
    found = complaints([os.environ.get("CLANG_FORMAT", "clang-format-14"), "--dry-run", "-Werror"], paths)
    return [line for line in found if "error:" in line] or found  # without the lines quoted


def shell():
    return complaints(["shellcheck", "-x"], scripts())


RULES = {
    "includes go one way": include_directions,
    "the folders of the kernel side are in order": no_circles,
    "functions of the kernel side have distinct names": distinct_names,
    "one environment header": core_environment,
    "an architecture has one home": architectures_have_homes,
    "every source file names its licence": licences,
    "the version is in one place": one_version,
    "documents are short and their links lead somewhere": documents,
    "prose has no phrase that costs a second reading": plain_prose,
    "comments begin as sentences do": comment_openings,
    "syzkaller's description follows the UAPI header": syzkaller_description,
    "nothing generated among the sources": nothing_generated,
    "nothing of one machine in the sources": nothing_of_one_machine,
    "TRY stands alone or initializes a variable": try_stands_alone,
    "C++ is formatted (clang-format)": cpp_format,
    "shell scripts (shellcheck)": shell,
}


def main():
    if not FILES:
        sys.exit("house_rules: no source files")
    with open(sys.argv[1], "w", encoding="utf-8") as results:
        for name, rule in RULES.items():
            found = list(rule())
            results.write(f"{'fail' if found else 'pass'} house rule: {name}\n")
            if found:
                print(f"House rule '{name}':")
                print("".join(f"  {line}\n" for line in found[:40]), end="")


if __name__ == "__main__":
    main()
