# SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
"""The words rule of house_rules.py: phrases that cost a second reading are refused in prose. The list
grows with each review.

Prose is: documents and manual pages without their examples; comments; texts in quotes; Kconfig, the
description of a Debian package, and what a patch says and adds.
"""

import io
import re
import tokenize

# The phrase, and a better one.
PHRASES = [(re.compile(pattern, re.IGNORECASE), better) for pattern, better in (
    (r"\bbehind\b", "after, below, beyond"),
    (r"\bbut for\b", "except"),
    (r"\banew\b", "again"),
    (r"\balone[.,;:)]", "only"),
    (r"\b(is|are|be) told\b", "is marked, is reported, is named"),
    (r"\b(hang|hangs) on\b", "depends on, is attached to"),
    (r"\ba turn\b", "per iteration"),
    (r"\bso many\b", "that many, the number"),
    (r"\bof ours\b", "of this project, a name"),
    (r"\b(is|are) there[.,;:)]", "exists, is loaded"),
    (r"\b(is|are) not there\b", "is missing"),
    (r", for (it|he|she|they|we|you|there|nobody|nothing|what|this is|that is|these are|those are)\b",
     "because"),
    (r", for (?:(?!that\b|which\b|whose\b|who\b|where\b|when\b|if\b|as\b|to\b)[\w`'()<>/*-]+ ){1,6}?"
     r"(is|are|was|were|has|have|had|does|do|can|cannot|may|must|will|would)\b", "because"),
)]
OPENING = re.compile(r"(What|Who|Those that|Of|Whether)\s")
# The start of the next sentence.
NEXT = re.compile(r"(?<=[.!?])[)\"'*`]*\s+(?=[\"'(*`]*[A-Z])")

C_TOKEN = re.compile(r"//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'"
                     r"|R\"(\w*)\(.*?\)\1\"", re.DOTALL)


def sentences_of(text):
    return NEXT.split(" ".join(text.split()))


def faults(text, whole_sentences=True):
    """What is wrong with a piece of prose."""
    text = " ".join(text.split())
    for phrase, better in PHRASES:
        for found in phrase.finditer(text):
            yield f"\"{text[max(0, found.start() - 30):found.end() + 30].strip()}\": {better}"
    if whole_sentences:
        for sentence in sentences_of(text):
            sentence = sentence.lstrip("\"'(*`")
            if OPENING.match(sentence) and "?" not in sentence:
                yield f"\"{sentence[:70]}\": name the subject"


def c_pieces(text):
    """(line, prose, is a comment) of comments and of texts in quotes. Texts that follow each other are one."""
    at, quoted, ends = 0, [], 0
    for found in C_TOKEN.finditer(text):
        token = found[0]
        line = text.count("\n", 0, found.start()) + 1
        if token.startswith(("//", "/*")):
            body = re.sub(r"^[ \t]*(//+|/\*+|\*+/?)?", "", token, flags=re.MULTILINE)
            body = re.sub(r"\*/$", "", body)
            # A list in a comment is no sentence.
            for paragraph in re.split(r"\n[ \t]*(?=\n|[-*] )", body):
                yield line, paragraph, True
        elif token.startswith("\""):
            if quoted and text[ends:found.start()].strip():
                yield at, "".join(quoted), False
                quoted = []
            if not quoted:
                at = line
            quoted.append(token[1:-1].replace("\\n", "\n"))
            ends = found.end()
    if quoted:
        yield at, "".join(quoted), False


def python_pieces(text):
    comment, at, last = [], 0, -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if comment and token.start[0] != last + 1:
                yield at, "\n".join(comment), True
                comment = []
            if not comment:
                at = token.start[0]
            comment.append(token.string.lstrip("#! "))
            last = token.start[0]
        elif token.type == tokenize.STRING and not re.match(r"[bu]*r", token.string, re.IGNORECASE):
            yield token.start[0], token.string.strip("f\"'"), token.string.startswith('"""')
    if comment:
        yield at, "\n".join(comment), True


def hash_pieces(text):
    """Scripts, makefiles: comments are prose, and any line may say something."""
    comment, at = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        found = re.match(r"\s*#+(?!!)\s?(.*)", line)
        if found and found[1].strip():
            if not comment:
                at = number
            comment.append(found[1])
            continue
        if comment:
            yield at, "\n".join(comment), True
            comment = []
        yield number, line, False


def document_pieces(text):
    code, paragraph, at = False, [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.startswith("```"):
            code = not code
            line = ""
        elif code or line.startswith("    ") and not paragraph:
            continue
        line = re.sub(r"`[^`]*`", "`x`", line)
        begins = re.match(r"\s*([-*]|\d+\.)\s", line)
        cell = line.startswith("|")
        if paragraph and (begins or cell or not line.strip() or line.startswith("#")):
            yield at, "\n".join(paragraph), True
            paragraph = []
        if cell:
            for content in line.strip("|").split(" | "):
                yield number, content, content.rstrip().endswith(".")
        elif line.startswith("#"):
            yield number, line, False
        elif line.strip():
            at = at if paragraph else number
            # A list of links is no sentence.
            paragraph.append(re.sub(r"^\s*([-*]|\d+\.)\s+(\[.*)?", "", line) if begins else line)


def manual_pieces(text):
    example, paragraph, at = False, [], 0
    for number, line in enumerate(text.splitlines() + [".Pp"], 1):
        if line.startswith((".Bd", ".Ed")):
            example = line.startswith(".Bd")
        if example or line.startswith(".\\\""):
            continue
        found = re.match(r"\.(Pp|It|Sh|Ss|Bl|El|Bd|Ed|Nd|Dl)\b ?(.*)", line)
        if found:
            yield at, "\n".join(paragraph), True
            yield number, found[2], False
            paragraph = []
        else:
            at = at if paragraph else number
            paragraph.append(re.sub(r"^\.\w+ ", "", line))


def plain_pieces(text):
    for number, line in enumerate(text.split("\n\n"), 1):
        yield number, line, True


def patch_pieces(text):
    """The description, and the comments that the patch adds."""
    said, _, changes = text.partition("\n---\n")
    yield from plain_pieces(re.sub(r"^[\w-]+: .*\n?", "", said, flags=re.MULTILINE))
    added = re.findall(r"^\+(?!\+)(.*)$", changes, re.MULTILINE)
    yield from c_pieces("\n".join(added))


def pieces_of(path, text):
    """The prose of a file: (line, text, whether it consists of sentences)."""
    name = path.rsplit("/", 1)[-1]
    if path.endswith((".c", ".h", ".cpp", ".S")):
        return c_pieces(text)
    if path.endswith(".py"):
        return python_pieces(text)
    if path.endswith(".md"):
        return document_pieces(text)
    if re.search(r"/man/.*\.\d$", path):
        return manual_pieces(text)
    if path.endswith(".patch"):
        return patch_pieces(text)
    if name in ("Kconfig", "control"):
        return plain_pieces(text)
    if path.endswith((".sh", ".mk", ".list", ".txt", ".conf", ".bash")) or name in ("Makefile", "Kbuild", "run") \
            or text.startswith("#!"):
        return hash_pieces(text)
    return ()


# Sentences that the rule must find in a document or in a comment, and others that it must not.
EXAMPLES = (
    (True, "The types stand behind the header."),
    (True, "It is empty, but for the first page."),
    (True, "The tables are made anew."),
    (True, "The name decides that alone."),
    (True, "Functions of one file are told apart by their units."),
    (True, "The program hangs on a stub."),
    (True, "A probe there is hit once a turn."),
    (True, "There are so many sites."),
    (True, "A header of ours includes it."),
    (True, "If the module is there, it is used."),
    (True, "The file is not there."),
    (True, "No lock is held, for it may sleep."),
    (True, "Nothing is printed, for the log is full."),
    (True, "It is armed. What is attached counts."),
    (True, "Who asks gets an error."),
    (True, "Those that have no location are left out."),
    (True, "Of these, one is used."),
    (True, "Whether it is loaded does not matter."),
    (False, "What does it cost?"),
    (False, "The sites of one function, for each section in order."),
    (False, "A table, for functions that are inlined."),
    (False, "A stand-alone program; it runs alone on one CPU."),
    (False, "There is what the section contains. If it is of use, it stays."),
)


def example_faults():
    for refused, text in EXAMPLES:
        for path in ("a.md", "a.c"):
            file = f"// {text}\n" if path == "a.c" else text
            found = [f for _, prose, whole in pieces_of(path, file) for f in faults(prose, whole)]
            if bool(found) != refused:
                yield f"tests/harness/plain_words.py: {path}: {'missed' if refused else 'refused'}: {text}"
    for path, file in (("a.md", "```\nlives behind it\n```\n`x behind y`"), ("a.c", "int behind = 1;"),
                       ("man/a.1", ".Bd -literal\nbehind\n.Ed"), ("a.py", "behind = 'x'")):
        if [f for _, prose, whole in pieces_of(path, file) for f in faults(prose, whole)]:
            yield f"tests/harness/plain_words.py: {path}: takes code for prose"


def file_faults(path, text):
    for line, prose, whole in pieces_of(path, text):
        for fault in faults(prose, whole):
            yield f"{path}:{line}: {fault}"
