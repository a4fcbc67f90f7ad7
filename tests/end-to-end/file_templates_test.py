"""The path of a file output as a template: a file for each value, messages that name none, and a kill in between."""
import json
import pathlib
import re
import signal

import bridge
import dead_letters

README = (pathlib.Path(__file__).parents[2] / "plugins/file/README.md").read_text()


class FileTemplates(dead_letters.Letters):
    def run_through(self, lines, path="out/${payload:c}.jsonl", more="", code=0, route=""):
        (self.folder / "in.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        self.write("routes.yaml", f"r:\n  exit_on_empty: true\n{route}  input: {{file: {{path: in.jsonl, format: raw}}}}\n"
                                  f"  output: {{file: {{path: '{path}', format: raw{more}}}}}\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.said = running.text
        ledger = running.ledgers()["r"]
        self.assertEqual(ledger["received"], sum(ledger[name] for name in bridge.COUNTERS), ledger)
        return {name: ledger[name] for name in bridge.COUNTERS if ledger[name]}

    def files(self, below="out"):
        return {str(p.relative_to(self.folder / below)): p.read_bytes().splitlines() for p in sorted((self.folder / below).rglob("*")) if p.is_file()}

    def test_a_file_for_each_value_in_the_order_of_the_messages(self):
        lines = [b'{"c":"%s","n":%d}' % (b"abcde"[i % 5:i % 5 + 1], i) for i in range(5_000)]
        self.assertEqual(self.run_through(lines, more=", max_open_files: 3", route="  batch_size: 100\n"), {"delivered": 5_000})
        self.assertEqual(self.files(), {f"{c}.jsonl": lines[k::5] for k, c in enumerate("abcde")})

    def test_folders_are_made_and_rolling_and_compression_hold_for_each_file(self):
        lines = [b'{"c":"x","d":"%d","text":"%s"}' % (i % 2, b"y" * 100) for i in range(100)]
        self.run_through(lines, path="out/${payload:c}/${payload:d}.jsonl", more=", rolling: {max_bytes: 2k}")
        files = self.files()
        for d in (0, 1):
            names = sorted((n for n in files if n.startswith(f"x/{d}")), key=lambda n: (n == f"x/{d}.jsonl", n))
            self.assertGreater(len(names), 2)
            self.assertEqual([line for n in names for line in files[n]], lines[d::2])

    def test_messages_that_name_no_file_are_dead_letters_and_nothing_is_outside_of_the_folder(self):
        bad = [b'{"c":"../in"}', b'{"c":"/etc/x"}', b'{"c":""}', b'{"c":null}', b'{}', b"text", b'{"c":"a\\u0000b"}', b'{"c":"%s"}' % (b"x" * 300),
               b'{"c":["a/b"]}']
        good = [b'{"c":".."}', b'{"c":"a b"}', b'{"c":7.0}', b'{"c":"."}']
        counts = self.run_through([line for pair in zip(bad, good + good + good) for line in pair], more=", fsync: batch")
        self.assertEqual(counts, {"delivered": 9, "dead_lettered": 9})
        self.assertEqual(sorted(self.files()), ["...jsonl", "..jsonl", "7.0.jsonl", "a b.jsonl"])
        self.assertEqual(self.payloads(), bad)
        errors = {letter["error"] for letter in self.dlq("list")}
        self.assertEqual(errors, {"file target: its path has no value, or one that is no part of a name: empty, with a / or U+0000, or a name that is . or ..",
                                  "file target: a name in its path is too long"})
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name not in ("in.jsonl", "routes.yaml", "out", "state", "summary.json")], [])

    def test_a_name_that_is_dots_is_none(self):
        self.assertEqual(self.run_through([b'{"c":".."}', b'{"c":"."}', b'{"c":"a"}'], path="out/${payload:c}/x"), {"delivered": 1, "dead_lettered": 2})
        self.assertEqual(self.files(), {"a/x": [b'{"c":"a"}']})

    def test_what_check_says(self):
        for route, said in (
                ("output: {file: {path: 'out/${payload:c|base64}'}}",
                 "r.yaml:1:56: r.output.file.path: base64 has a /, which no name of a file has\n  out/${payload:c|base64}\n                  ^^^^^^\n"),
                ("output: {file: {path: 'out/${message:x}'}}",
                 "r.yaml:1:56: r.output.file.path: unknown selector: ${message:…} knows id and payload\n  out/${message:x}\n                ^\n"),
                ("output: {file: {path: '${payload:c}', name_by: source_position}}",
                 "r.yaml:1:43: r.output.file: name_by: parts have one directory; its path is no template\n")):
            with self.subTest(route):
                self.write("r.yaml", "r: {input: {memory: {topic: t}}, " + route + "}\n")
                done = self.bridge("check", "r.yaml")
                self.assertEqual((done.stderr, done.returncode), (said, 2))
        self.write("r.yaml", "r: {input: {file: {path: 'in/${payload:c}'}}}\n")
        self.assertEqual(self.bridge("check", "r.yaml").stderr,
                         "r.yaml:1:13: r.input.file: path: an input is no template: there is no message whose values it could have\n")
        self.write("r.yaml", "a: {input: {memory: {topic: t}}, output: {file: {path: 'out/${payload:c}'}}}\n"
                             "b: {input: {memory: {topic: u}}, output: {file: {path: 'out/${payload:c}'}}}\n")
        self.assertIn("out/${payload:c}", self.bridge("check", "r.yaml").stderr)

    def test_the_example_of_the_page(self):
        section = README.split("## A file for each value")[1].split("\n## ")[0]
        self.write("routes.yaml", re.search(r"```yaml\n(.*?)```", section, flags=re.S)[1].replace("by_country:\n", "by_country:\n  exit_on_empty: true\n"))
        (self.folder / "orders.jsonl").write_bytes(b'{"country":"DE","n":1}\n{"country":"FR","n":2}\n')
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assertEqual(self.files(), {"DE.jsonl": [b'{"country":"DE","n":1}'], "FR.jsonl": [b'{"country":"FR","n":2}']})

    def test_after_a_kill_every_record_is_whole_and_none_is_missing(self):
        count = 20_000
        (self.folder / "in.jsonl").write_bytes(b"".join(b'{"c":%d,"n":%d}\n' % (i % 10, i) for i in range(count)))
        self.write("routes.yaml", "r:\n  exit_on_empty: true\n  batch_size: 50\n  input: {file: {path: in.jsonl, format: raw, mode: group_subscribe, group_id: g}}\n"
                                  "  output: {file: {path: 'out/${payload:c}.jsonl', format: raw, max_open_files: 4}}\n")
        running = self.start("run", "routes.yaml")
        self.until(lambda: (self.folder / "out/9.jsonl").exists())
        running.process.send_signal(signal.SIGKILL)
        running.end()
        again = self.start("run", "routes.yaml")
        self.assertEqual(again.end(), 0, again.text)
        for c in range(10):
            numbers = [json.loads(line)["n"] for line in (self.folder / f"out/{c}.jsonl").read_bytes().splitlines()]
            self.assertEqual(sorted(set(numbers)), list(range(c, count, 10)))
        self.assertEqual([name for name in self.files() if name.endswith(".writing")], [])


if __name__ == "__main__":
    bridge.main()
