"""Runs the kit on every animal of the zoo and asserts that it finds the fault: kit_test.py FOLDER KIT-COMMAND… [--only FAULT]

The kit is started in an empty directory with an empty place for temporary files, and must leave both empty. Of `none` every case of every
factory must pass or be skipped."""
import concurrent.futures
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
CONFIG = ["--config", os.path.join(here, "conformance.json"), "--json"]
# An order of badness: what a case of several factories comes to.
WORST = ["fail", "crash", "timeout", "pass", "skip"]


def animals():
    with open(os.path.join(here, "zoo.tsv"), encoding="utf-8") as f:
        yield from csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t")


def sanitizer_of(program):
    with open(shutil.which(program) or program, "rb") as f:
        text = f.read()
    return next((name for name, symbol in (("address", b"__asan_init"), ("thread", b"__tsan_init")) if symbol in text), None)


class Kit:
    def __init__(self, folder, command, place):
        self.folder, self.command = os.path.abspath(folder), command
        self.sanitizer = sanitizer_of(command[0])
        self.start, self.temporary = os.path.join(place, "start"), os.path.join(place, "tmp")
        os.mkdir(self.start)
        os.mkdir(self.temporary)

    def library(self, fault):
        return os.path.join(self.folder, f"libmqb_bad_{fault}.so")

    def run(self, fault, *options, seconds=60):
        call = [*self.command, self.library(fault), *CONFIG, *options]
        done = subprocess.run(call, capture_output=True, text=True, timeout=seconds, cwd=self.start, env={**os.environ, "TMPDIR": self.temporary})
        try:
            return json.loads(done.stdout)["cases"], done
        except (ValueError, KeyError):
            return [], done

    def expected(self, cell):
        """Of `plain|sanitized` the one for this build."""
        plain, _, sanitized = cell.partition("|")
        return sanitized if sanitized and self.sanitizer == "address" else plain

    def look_at(self, animal):
        library = self.library(animal["fault"])
        if animal["fault"] == "unreadable" and os.access(library, os.R_OK):
            return None  # root reads everything
        if not os.path.lexists(library):
            return "is not built"
        result, text = self.expected(animal["result"]), self.expected(animal["kit"])
        factory, _, case = animal["case"].rpartition("/")
        which = ["--factory", factory] if factory else []
        found, done = self.run(animal["fault"], "--case", case, "--limit", "1500" if result == "timeout" else "15000", *which)
        if not found:
            return f"{animal['case']} gave no result: {done.stdout[:300]} {done.stderr[:300]}"
        found = min(found, key=lambda c: WORST.index(c["result"]))
        told = f"{found['result']}: {found['reason']} [{found['rule']}] {found['warnings']}"
        # A data race that a fault makes may be told in front of what it leads to.
        if self.sanitizer == "thread" and found["result"] == "crash" and "ThreadSanitizer" in found["reason"]:
            return None
        if found["result"] != result:
            return f"{animal['case']} should be {result}, is {told}"
        if text not in told:
            return f"{animal['case']} should say \"{text}\", says {told}"
        if done.returncode != (0 if result == "pass" else 1):
            return f"exit code {done.returncode}"
        return None

    def look_at_the_good_one(self):
        found, done = self.run("none", seconds=300)
        wrong = [f"{c['factory']}/{c['case']}: {c['reason']} {c['rule']}" for c in found if c["result"] not in ("pass", "skip")]
        if wrong or not found or done.returncode != 0:
            return f"exit code {done.returncode}, {wrong} {done.stderr[:300]}"
        proved = {c["case"] for c in found if c["result"] == "pass"}
        needed = {a["case"].rpartition("/")[2] for a in animals() if a["result"] != "pass"} - {"idempotent"}
        return f"these cases find faults and passed nowhere: {sorted(needed - proved)}" if needed - proved else None

    def left_behind(self):
        return sorted(os.listdir(self.start)) + sorted(os.listdir(self.temporary))


def main():
    arguments = sys.argv[1:]
    only = None
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1]
        del arguments[at : at + 2]
    folder, *command = arguments
    command[0] = os.path.abspath(command[0]) if os.path.exists(command[0]) else command[0]
    wanted = [a for a in animals() if only in (None, a["fault"])]
    with tempfile.TemporaryDirectory(prefix="mqb-kit-test-") as place:
        kit = Kit(folder, command, place)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            good = pool.submit(kit.look_at_the_good_one) if only in (None, "none") else None
            problems = list(zip([a["fault"] for a in wanted], pool.map(kit.look_at, wanted)))
            if good:
                problems.append(("none", good.result()))
        if kit.left_behind():
            problems.append(("the kit", f"left behind {kit.left_behind()[:10]}"))
    wrong = [f"{fault}: {problem}" for fault, problem in problems if problem]
    print("\n".join([*wrong, f"{len(wanted)} animals, {len(wrong)} problems"]))
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
