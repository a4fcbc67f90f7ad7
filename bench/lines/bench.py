#!/usr/bin/env python3
"""bench.py MQBRIDGE PLUGIN_DIR FLOOR [LINES]: raw lines of 200 bytes to raw lines through the program and through the floor, in turn.

The result must be the source, byte for byte.
"""
import filecmp
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import side_by_side  # noqa: E402


def main():
    mqbridge, plugins, floor = sys.argv[1:4]
    lines = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    with tempfile.TemporaryDirectory() as scratch:
        source, ours, theirs = (os.path.join(scratch, n) for n in ("lines.jsonl", "ours.jsonl", "floor.jsonl"))
        subprocess.run([sys.executable, os.path.join(side_by_side.FLOORS, "gen_lines.py"), str(lines), source], check=True)
        route = (f"lines:\n  input: {{file: {{path: {source}, format: raw}}}}\n"
                 f"  output: {{file: {{path: {ours}, format: raw}}}}\n")
        commands = {"mqbridge": side_by_side.route_command(mqbridge, plugins, scratch, route), "floor": [floor, source, theirs]}
        side_by_side.compare(f"Raw lines to raw lines, {lines} lines of 200 bytes", lines, commands, lambda: os.path.exists(ours) and os.remove(ours))
        if not filecmp.cmp(source, ours, shallow=False):
            sys.exit("the result differs from the source")


if __name__ == "__main__":
    main()
