"""CSV that a file output writes: what the csv module of Python reads is what was sent, and its own reader gives it back."""
import csv
import io
import json
import os
import random
import resource

import bridge

ROWS = 300_000 if os.environ.get("MQB_LONG") else 60_000
MOST_MEMORY_KIB = 60 * 1024
# What the peer's binary was seen to do with these, but for null, which is an empty cell here.
OBSERVED = [
    '{"id":1,"o":{"x":1,"y":{"z":[1,2]}},"s":"a,b","n":null,"t":true,"f":1.50}',
    '{"id":2,"s":"q\\"uote","extra":9}',
    '{"id":3,"o":5,"s":"line\\nbreak"}',
]
ROUTE = """
rows:
  exit_on_empty: true
  input: {{file: {{path: in.jsonl, format: raw}}}}
  output: {{file: {{path: out.csv, format: csv, csv: {csv}, delimiter: "{delimiter}"}}}}
"""


class CsvOutput(bridge.Case):
    def run_route(self, csv_block="{}", delimiter="\\n", expect=0):
        self.write("routes.yaml", ROUTE.format(csv=csv_block, delimiter=delimiter))
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), expect, running.text)
        ledger = running.ledgers()["rows"]
        self.assert_exact(ledger)
        return running, ledger

    def out(self):
        return (self.folder / "out.csv").read_bytes().decode()

    def test_observed_records(self):
        self.write("in.jsonl", "\n".join(OBSERVED) + "\n")
        running, ledger = self.run_route()
        self.assertEqual(ledger["delivered"], 3)
        rows = '1,1,"[1,2]","a,b",,true,1.50\n2,,,"q""uote",,,\n3,,,"line\nbreak",,,\n'
        self.assertEqual(self.out(), "id,o.x,o.y.z,s,n,t,f\n" + rows)
        self.assertEqual(running.text.count("the key 'extra' has no column"), 1)
        self.assertEqual(running.text.count("the column 'o.x' has no value"), 1)
        self.run_route()
        self.assertEqual(self.out(), "id,o.x,o.y.z,s,n,t,f\n" + rows + rows)

    def test_what_is_no_row_is_a_dead_letter(self):
        self.write("in.jsonl", 'not json\n[1]\n{}\n{"a":1}\n{"a":2,"b":3}\n')
        _, ledger = self.run_route("{on_mismatch: fail}")
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["dead_lettered"]), (5, 1, 4))
        self.assertEqual(self.out(), "a\n1\n")
        letters = json.loads(self.bridge("dlq", "list", "--json", "--state-dir", "state").stdout)
        place = "file target 'out.csv': "
        self.assertEqual(sorted(letter["error"] for letter in letters),
                         [place + "CSV format requires a non-empty JSON object payload"] * 3 + [place + "the key 'b' has no column"])

    def test_configured_columns_and_nested_json(self):
        self.write("in.jsonl", OBSERVED[0] + '\n{"id":4,"s":"x"}\n{"id":5,"s":"y","o":{},"extra":1}\n')
        _, ledger = self.run_route("{columns: [id, o, s], nested: json, on_mismatch: fail}")
        self.assertEqual((ledger["delivered"], ledger["dead_lettered"]), (2, 1))
        self.assertEqual(self.out(), 'id,o,s\n1,"{""x"":1,""y"":{""z"":[1,2]}}","a,b"\n5,{},y\n')

    def test_another_header_with_fail_stops_the_route(self):
        self.write("in.jsonl", '{"a":1}\n')
        self.write("out.csv", "b\n")
        running, ledger = self.run_route("{columns: [a], on_mismatch: fail}", expect=1)
        self.assertEqual((ledger["state"], self.out()), ("failed", "b\n"))
        self.assertIn("has other columns than `csv.columns`: it lacks 'a' and has 'b'", running.text)

    def test_python_reads_what_was_sent(self):
        choose = random.Random(20).choice
        texts = ["", "plain", 'the "quoted" one', "a, b; c|d\te", "two\nlines\r\n", "日本語 😀", "'", "back\\slash", " spaces ", "=1+1", "x" * 300]
        records = [[choose(texts) for _ in range(4)] for _ in range(5000)]
        self.write("in.jsonl", "".join(json.dumps(dict(zip("abcd", r))) + "\n" for r in records))
        for name, separator, quote in (("comma", ",", '"'), ("tab", "\t", "'"), ("semicolon", ";", '"'), ("pipe", "|", '"')):
            with self.subTest(name):
                (self.folder / "out.csv").unlink(missing_ok=True)
                self.run_route(json.dumps({"separator": name, "quote": quote}))
                rows = list(csv.reader(io.StringIO(self.out(), newline=""), delimiter=separator, quotechar=quote))
                self.assertEqual(rows[0], list("abcd"))
                self.assertEqual(rows[1:], records)

    def test_there_and_back_in_little_memory(self):
        with open(self.folder / "in.jsonl", "w") as file:
            for i in range(ROWS):
                file.write(json.dumps({"id": str(i), "name": f'the "{i}", or\nso', "note": "é" * (i % 50)}, ensure_ascii=False, separators=(",", ":")) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        _, ledger = self.run_route()
        self.assert_delivered(ledger, ROWS)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(peak, max(before, MOST_MEMORY_KIB))
        self.write("back.yaml", """
back:
  exit_on_empty: true
  input: {file: {path: out.csv, format: csv}}
  output: {file: {path: back.jsonl, format: raw}}
""")
        self.assertEqual(self.start("run", "back.yaml").end(), 0)
        self.assertEqual((self.folder / "back.jsonl").read_bytes(), (self.folder / "in.jsonl").read_bytes())


if __name__ == "__main__":
    bridge.main()
