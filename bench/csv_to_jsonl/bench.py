#!/usr/bin/env python3
"""bench.py MQBRIDGE PLUGIN_DIR FLOOR [ROWS]: CSV to JSON lines through the program and through the floor, in turn.

Prints messages per CPU second of the whole process and peak memory, as medians, and their ratio. Checks the result once.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLOORS = os.path.join(HERE, "..", "floors")
ROUNDS = 5


def run(command):
    """CPU seconds and peak resident KiB of one child."""
    pid = os.posix_spawn(command[0], command, dict(os.environ),
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                                       (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def main():
    mqbridge, plugins, floor = sys.argv[1:4]
    rows = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    with tempfile.TemporaryDirectory() as scratch:
        source, ours, theirs = (os.path.join(scratch, n) for n in ("rows.csv", "ours.jsonl", "floor.jsonl"))
        subprocess.run([sys.executable, os.path.join(FLOORS, "gen_csv.py"), str(rows), source], check=True)
        route = os.path.join(scratch, "routes.yaml")
        with open(route, "w", encoding="utf-8") as f:
            f.write(f"csv_to_jsonl:\n  input: {{file: {{path: {source}, format: csv}}}}\n"
                    f"  output: {{file: {{path: {ours}, format: raw}}}}\n")
        results = {"mqbridge": [], "floor": []}
        for _ in range(ROUNDS):
            if os.path.exists(ours):
                os.remove(ours)
            results["mqbridge"].append(run([mqbridge, "run", "--drain", "--state-dir", os.path.join(scratch, "state"), "--plugin-dir", plugins, route]))
            results["floor"].append(run([floor, source, theirs]))
        subprocess.run([sys.executable, os.path.join(FLOORS, "check_csv.py"), source, ours], check=True)
        rate = {}
        print(f"CSV to JSON lines, {rows} rows, median of {ROUNDS}")
        for name, all_runs in results.items():
            cpu = statistics.median(r[0] for r in all_runs)
            rate[name] = rows / cpu
            rss = max(r[1] for r in all_runs)
            print(f"  {name:10} {rate[name] / 1e6:6.2f} M rows per CPU second   peak {rss / 1024:6.1f} MiB")
        print(f"  of the floor {rate['mqbridge'] / rate['floor']:.0%}")


if __name__ == "__main__":
    main()
