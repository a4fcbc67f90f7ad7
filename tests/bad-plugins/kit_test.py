"""Runs the kit on every animal of the zoo and asserts that it finds the fault: kit_test.py FOLDER KIT-COMMAND… [--only FAULT]"""
import concurrent.futures
import csv
import json
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))


def animals():
    with open(os.path.join(here, "zoo.tsv"), encoding="utf-8") as f:
        yield from csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t")


def look_at(animal, folder, command):
    library = os.path.join(folder, f"libmqb_bad_{animal['fault']}.so")
    if animal["fault"] == "unreadable" and os.access(library, os.R_OK):
        return None  # root reads everything
    if not os.path.lexists(library):
        return "is not built"
    limit = "1500" if animal["result"] == "timeout" else "15000"
    call = [*command, library, "--config", os.path.join(here, "conformance.json"), "--case", animal["case"], "--json", "--limit", limit]
    done = subprocess.run(call, capture_output=True, text=True, timeout=60)
    want_code = 0 if animal["result"] == "pass" else 1
    try:
        found = json.loads(done.stdout)["cases"]
        found = next((c for c in found if c["result"] != "pass"), found[0])  # one of the factories
    except (ValueError, IndexError):
        return f"{animal['case']} gave no result: {done.stdout[:300]} {done.stderr[:300]}"
    told = f"{found['result']}: {found['reason']} [{found['rule']}]"
    if found["result"] not in animal["result"].split("|"):
        return f"{animal['case']} should be {animal['result']}, is {told}"
    by_sanitizer = found["result"] == "crash" and "Sanitizer" in found["reason"]  # it was faster, and is right too
    if animal["kit"] not in found["reason"] + found["rule"] and not by_sanitizer:
        return f"{animal['case']} should say \"{animal['kit']}\", says {told}"
    if done.returncode != want_code:
        return f"exit code {done.returncode}, not {want_code}"
    return None


def main():
    arguments = sys.argv[1:]
    only = None
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1]
        del arguments[at : at + 2]
    folder, *command = arguments
    wanted = [a for a in animals() if only in (None, a["fault"])]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for animal, problem in zip(wanted, pool.map(lambda a: look_at(a, folder, command), wanted)):
            if problem:
                wrong += 1
                print(f"{animal['fault']}: {problem}")
    print(f"{len(wanted)} animals, {wrong} not found")
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
