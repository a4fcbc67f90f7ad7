#!/usr/bin/env python3
"""Checks that the pages for plugin authors quote truly.

In docs/abi.md a block quote is a sentence of a header: "> `consumer.h` `free_batch`: words […] words". The words stand in that header,
in that order, and so does the name. In all pages a fenced block of code comes from a file that is built, named by a comment in front of
it, "<!-- from tests/c-plugin/tiny.c -->"; a line "…" leaves lines out. Relative links lead somewhere.

usage: docs_quotes.py SOURCE_DIR"""
import pathlib
import re
import sys
import textwrap

PAGES = ["README.md", "docs/abi.md", "docs/writing-a-plugin.md", "docs/architecture.md", "plugins/memory/README.md"]
CODE = {"c", "cpp", "cmake", "json", "yaml"}

root = pathlib.Path(sys.argv[1])
faults = []
counts = {"quotes": 0, "snippets": 0, "links": 0}


def plain(text):
    """Without the marks of comments and the breaks of lines."""
    return re.sub(r"\s+", " ", text.replace("/*", " ").replace("*/", " ")).strip()


def in_order(parts, text):
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            return part
        at = found + len(part)
    return None


def check_quotes(page, text):
    headers = root / "plugin-api" / "include" / "mqb"
    for quote in re.findall(r"(?:^ *> ?.*\n)+", text, re.M):
        quote = plain(re.sub(r"^ *> ?", "", quote, flags=re.M))
        match = re.match(r"`(\w+\.h)`(?: `(\w+)`)?: (.+)$", quote)
        if not match:
            faults.append(f"{page}: a block quote that names no header: {quote[:70]}")
            continue
        counts["quotes"] += 1
        name, word, words = match.groups()
        if not (headers / name).exists():
            faults.append(f"{page}: there is no {name}")
            continue
        header = plain((headers / name).read_text())
        missing = in_order([part.strip() for part in words.split("[…]")], header)
        if missing:
            faults.append(f"{page}: {name} does not say: {missing}")
        if word and not re.search(rf"\b{word}\b", header):
            faults.append(f"{page}: {name} has no {word}")


def check_snippets(page, text):
    for match in re.finditer(r"(?:^<!-- from (\S+) -->\n)?^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        source, language, code = match.groups()
        if not source:
            if language in CODE:
                faults.append(f"{page}: a block of {language} that says not where it comes from: {code.splitlines()[0]}")
            continue
        counts["snippets"] += 1
        file = root / source
        if not file.exists():
            faults.append(f"{page}: there is no {source}")
            continue
        there = "\n".join(line.strip() for line in file.read_text().splitlines())
        parts = [p.strip("\n") for p in re.split(r"^\s*…\s*$", textwrap.dedent(code), flags=re.M)]
        parts = ["\n".join(line.strip() for line in p.splitlines()) for p in parts if p.strip()]
        missing = in_order(parts, there)
        if missing:
            faults.append(f"{page}: {source} does not have:\n{missing}")


def check_links(page, text):
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        counts["links"] += 1
        if not (root / page).parent.joinpath(target).exists():
            faults.append(f"{page}: a link to {target}, which is not there")


for page in PAGES + sorted(str(p.relative_to(root)) for p in (root / "docs" / "decisions").glob("*.md")):
    if not (root / page).exists():
        faults.append(f"{page} is missing")
        continue
    text = (root / page).read_text()
    if page == "docs/abi.md":
        check_quotes(page, text)
    check_snippets(page, text)
    check_links(page, text)

print(", ".join(f"{n} {what}" for what, n in counts.items()))
print("\n".join(faults))
sys.exit(1 if faults else 0)
