#!/usr/bin/env python3
"""bench.py MQBRIDGE PLUGIN_DIR FLOOR [ROWS]: CSV to JSON lines through the program and through the floor, in turn.

Checks the result once.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import side_by_side  # noqa: E402


def main():
    mqbridge, plugins, floor = sys.argv[1:4]
    rows = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    with tempfile.TemporaryDirectory() as scratch:
        source, ours, theirs = (os.path.join(scratch, n) for n in ("rows.csv", "ours.jsonl", "floor.jsonl"))
        subprocess.run([sys.executable, os.path.join(side_by_side.FLOORS, "gen_csv.py"), str(rows), source], check=True)
        route = (f"csv_to_jsonl:\n  input: {{file: {{path: {source}, format: csv}}}}\n"
                 f"  output: {{file: {{path: {ours}, format: raw}}}}\n")
        side_by_side.compare(f"CSV to JSON lines, {rows} rows",
                             rows,
                             {"mqbridge": side_by_side.route_command(mqbridge, plugins, scratch, route), "floor": [floor, source, theirs]},
                             lambda: os.path.exists(ours) and os.remove(ours))
        subprocess.run([sys.executable, os.path.join(side_by_side.FLOORS, "check_csv.py"), source, ours], check=True)


if __name__ == "__main__":
    main()
