#!/usr/bin/env python3
"""Writes layout.h, the asserted layout of the ABI, from what the compiler makes of the headers; --check only compares.

usage: layout.py [--check] COMPILER INCLUDE_DIR LAYOUT_H"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = ["status.h", "message.h", "metadata.h", "call.h", "consumer.h", "publisher.h", "store.h", "host.h", "plugin.h"]
HEAD = """/* layout.h: where every field of the candidate ABI lies on a 64-bit system, and the value of every constant. Written by layout.py
   (target abi_baseline_update); a change in here is a change of the ABI. Each released ABI keeps its own copy for ever. */
#ifndef MQB_FREEZE_LAYOUT_H
#define MQB_FREEZE_LAYOUT_H
#include <mqb/plugin.h>

#if UINTPTR_MAX == UINT64_MAX
#ifdef __cplusplus
#define MQB_HOLDS(condition) static_assert(condition, #condition)
#else
#define MQB_HOLDS(condition) _Static_assert(condition, #condition)
#endif
#define MQB_TYPE(type, bytes) MQB_HOLDS(sizeof(type) == (bytes))
#define MQB_FIELD(type, field, offset, bytes) \\
    MQB_HOLDS(offsetof(type, field) == (offset) && sizeof(((type *)0)->field) == (bytes))
#define MQB_VALUE(name, value) MQB_HOLDS((name) == (value))
"""
TAIL = """
#undef MQB_HOLDS
#undef MQB_TYPE
#undef MQB_FIELD
#undef MQB_VALUE
#endif
#endif
"""


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def structs(text):
    """(type name, field names) of every struct with a body."""
    for match in re.finditer(r"(?:typedef )?struct (\w+) \{(.*?)\n\}", text, re.S):
        fields = []
        for line in match.group(2).split(";"):
            function = re.search(r"\(\*\s*(\w+)\)", line)
            plain = re.search(r"(\w+)(?:\[\d+\])?\s*$", line)
            if function or plain:
                fields.append((function or plain).group(1))
        yield match.group(1), fields


def constants(text):
    for match in re.finditer(r"enum \{(.*?)\}", text, re.S):
        yield from re.findall(r"\b(MQB_\w+)\s*=", match.group(1))
    yield from re.findall(r"^#define (MQB_\w+) [\dU(]", text, re.M)


def program(include):
    """C that prints the body of layout.h."""
    out = ["#include <mqb/plugin.h>", "#include <stdio.h>", "int main(void) {"]
    for header in HEADERS:
        text = without_comments((include / "mqb" / header).read_text())
        out.append(f'puts("\\n/* ---- {header} ---- */");')
        for name in constants(text):
            out.append(f'printf("MQB_VALUE({name}, %llu);\\n", (unsigned long long){name});')
        for name, fields in structs(text):
            out.append(f'printf("MQB_TYPE({name}, %zu);\\n", sizeof({name}));')
            for field in fields:
                out.append(
                    f'printf("MQB_FIELD({name}, {field}, %zu, %zu);\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));'
                )
    return "\n".join(out + ["return 0; }"])


def layout(compiler, include):
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "layout"
        command = [compiler, "-std=c11", "-I", include, "-x", "c", "-", "-o", binary]
        subprocess.run(command, input=program(include), text=True, check=True)
        return HEAD + subprocess.run([binary], capture_output=True, text=True, check=True).stdout + TAIL


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 3:
        sys.exit(__doc__)
    target = pathlib.Path(arguments[2])
    text = layout(arguments[0], pathlib.Path(arguments[1]))
    if "--check" not in sys.argv:
        target.write_text(text)
    elif not target.exists() or target.read_text() != text:
        sys.exit(f"{target.name} is not what the headers say: review the change, then build the target abi_baseline_update")


main()
