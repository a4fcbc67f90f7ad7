"""CSV rows become JSON lines, byte for byte what the csv and json modules of Python say, in little memory."""
import csv
import filecmp
import json
import os
import sys

import bridge

ROWS = 5_000_000 if os.environ.get("MQB_LONG") or "--full" in sys.argv else 1_000_000
MOST_MEMORY_KIB = 60 * 1024


def row(i):
    name = ("Müller", 'the "quoted" one', "a, b", "two\nlines", "", "日本語 😀", "tab\there", "back\\slash")[i % 8]
    return [i, name, f"{i * 7 % 100000 / 100:.2f}", "" if i % 3 else "x" * (i % 17), f"{i:08d}"]


class CsvToJson(bridge.Case):
    def make_input(self):
        with open(self.folder / "in.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["id", "name", "price", "note", "number"])
            writer.writerows(row(i) for i in range(ROWS))

    def make_expected(self):
        encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        with open(self.folder / "in.csv", newline="", encoding="utf-8") as file, open(self.folder / "expected.jsonl", "w", encoding="utf-8") as out:
            rows = csv.reader(file)
            header = next(rows)
            out.writelines(encode(dict(zip(header, r))) + "\n" for r in rows)

    def test_every_row_arrives_in_order_and_in_little_memory(self):
        self.make_input()
        self.write("routes.yaml", """
rows:
  exit_on_empty: true
  input: {file: {path: in.csv, format: csv}}
  output: {file: {path: out.jsonl, format: raw}}
""")
        arguments = [bridge.BINARY, "run", "routes.yaml", "--summary", "summary.json"]
        with open(self.folder / "stderr", "wb") as errors:
            actions = [(os.POSIX_SPAWN_DUP2, errors.fileno(), 2)]
            before = os.getcwd()
            os.chdir(self.folder)
            try:
                child = os.posix_spawn(bridge.BINARY, arguments, bridge.environment(), file_actions=actions)
            finally:
                os.chdir(before)
            # The peak counts that of this process at its start too: both are small.
            _, status, usage = os.wait4(child, 0)
        text = (self.folder / "stderr").read_text()
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, text)
        ledger = json.loads((self.folder / "summary.json").read_text())["routes"]["rows"]
        self.assert_delivered(ledger, ROWS)
        self.assertIn("rows", text)
        self.make_expected()
        self.assertTrue(filecmp.cmp(self.folder / "expected.jsonl", self.folder / "out.jsonl", shallow=False))
        print(f"{ROWS} rows, {ledger['seconds']} s, peak {usage.ru_maxrss} KiB, {usage.ru_utime + usage.ru_stime:.2f} s of CPU time")
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(usage.ru_maxrss, MOST_MEMORY_KIB)


if __name__ == "__main__":
    sys.argv = [a for a in sys.argv if a != "--full"]
    bridge.main()
