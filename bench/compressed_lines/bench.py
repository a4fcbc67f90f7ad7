#!/usr/bin/env python3
"""bench.py MQBRIDGE PLUGIN_DIR [ROWS]: compressed lines to compressed lines through the program and through the formats' own tools, in turn.

Prints CPU seconds of all processes and peak memory, as medians, and their ratio, for each format whose tool is there. Checks the result once.
"""
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FLOORS = os.path.join(HERE, "..", "floors")
FORMATS = {"gzip": "-6", "zstd": "-3", "lz4": "-1"}
ROUNDS = 5


def run(command, **where):
    """CPU seconds and peak resident KiB of one child and what it started."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **where)
    said = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command} ended with {process.returncode}\n{said}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def digest(command):
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        return hashlib.file_digest(process.stdout, "sha256").hexdigest()


def main():
    mqbridge, plugins = sys.argv[1:3]
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1_000_000
    with tempfile.TemporaryDirectory() as scratch:
        at = lambda name: os.path.join(scratch, name)
        subprocess.run([sys.executable, os.path.join(FLOORS, "gen_csv.py"), str(rows), at("rows.csv")], check=True)
        print(f"compressed lines to compressed lines, {rows} lines, {os.path.getsize(at('rows.csv')) / 1e6:.0f} MB, median of {ROUNDS}")
        for tool, level in FORMATS.items():
            if not shutil.which(tool):
                print(f"  {tool}: not measured, the program {tool} is not there")
                continue
            with open(at("in"), "wb") as packed:
                subprocess.run([tool, level, "-c", at("rows.csv")], stdout=packed, check=True)
            with open(at("routes.yaml"), "w", encoding="utf-8") as f:
                f.write(f"lines:\n  input: {{file: {{path: {at('in')}, format: raw, compression: {tool}}}}}\n"
                        f"  output: {{file: {{path: {at('ours')}, format: raw, compression: {tool}}}}}\n")
            results = {"mqbridge": [], tool: []}
            for _ in range(ROUNDS):
                if os.path.exists(at("ours")):
                    os.remove(at("ours"))
                results["mqbridge"].append(run([mqbridge, "run", "--drain", "--state-dir", at("state"), "--plugin-dir", plugins, at("routes.yaml")]))
                results[tool].append(run(["/bin/sh", "-c", f"{tool} -dc in | {tool} {level} -c >theirs"], cwd=scratch))
            if digest([tool, "-dc", at("ours")]) != digest([tool, "-dc", at("in")]):
                sys.exit(f"{tool}: the lines are not the same")
            cpu = {name: statistics.median(r[0] for r in all_runs) for name, all_runs in results.items()}
            for name, all_runs in results.items():
                size = os.path.getsize(at("ours" if name == "mqbridge" else "theirs"))
                print(f"  {name:10} {cpu[name]:6.2f} CPU seconds   peak {max(r[1] for r in all_runs) / 1024:6.1f} MiB   {size / 1e6:6.1f} MB written")
            print(f"  of what {tool} needs {cpu['mqbridge'] / cpu[tool]:.0%}")


if __name__ == "__main__":
    main()
