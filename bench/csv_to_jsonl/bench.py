#!/usr/bin/env python3
"""bench.py MQBRIDGE PLUGIN_DIR FLOOR [ROWS]: CSV to JSON lines through the program and through the floor, in turn; then with three
columns typed by the reader, and by the schema of a transform, where the floor types what looks like a number or a truth.

Checks each result once.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import side_by_side  # noqa: E402


TYPES = {"id": "integer", "amount": "number", "active": "boolean"}
SCHEMA = json.dumps({"type": "object", "properties": {name: {"type": t} for name, t in TYPES.items()}})


def check_typed(source, made):
    """Each row with its typed columns as values of those types, the others as texts."""
    with open(source, newline="", encoding="utf-8") as rows, open(made, encoding="utf-8") as lines:
        for number, (row, line) in enumerate(zip(csv.DictReader(rows), lines, strict=True), 1):
            row |= {"id": int(row["id"]), "amount": float(row["amount"]), "active": row["active"] == "true"}
            if json.loads(line) != row:
                sys.exit(f"row {number}: {line!r} is not {row!r}")


def main():
    mqbridge, plugins, floor = sys.argv[1:4]
    rows = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    with tempfile.TemporaryDirectory() as scratch:
        source, ours, theirs = (os.path.join(scratch, n) for n in ("rows.csv", "ours.jsonl", "floor.jsonl"))
        subprocess.run([sys.executable, os.path.join(side_by_side.FLOORS, "gen_csv.py"), str(rows), source], check=True)

        def compare(title, options="", middlewares="", more=()):
            route = (f"csv_to_jsonl:\n  input: {{file: {{path: {source}, format: csv{options}}}{middlewares}}}\n"
                     f"  output: {{file: {{path: {ours}, format: raw}}}}\n")
            side_by_side.compare(f"{title}, {rows} rows", rows,
                                 {"mqbridge": side_by_side.route_command(mqbridge, plugins, scratch, route), "floor": [floor, source, theirs, *more]},
                                 lambda: os.path.exists(ours) and os.remove(ours))

        compare("CSV to JSON lines")
        subprocess.run([sys.executable, os.path.join(side_by_side.FLOORS, "check_csv.py"), source, ours], check=True)
        compare("CSV to typed JSON lines", options=f", csv: {{types: {json.dumps(TYPES)}}}", more=["typed"])
        check_typed(source, ours)
        compare("CSV to JSON lines typed by a transform", middlewares=f", middlewares: [{{transform: {{schema: {SCHEMA}}}}}]", more=["typed"])
        check_typed(source, ours)


if __name__ == "__main__":
    main()
