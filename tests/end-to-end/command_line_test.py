"""The words of the command line: exit codes, helps, and what check says of bad files."""
import json
import subprocess

import bridge

GOOD = "r: {exit_on_empty: true, input: {file: {path: in.jsonl, format: raw}}, output: {file: {path: out.jsonl, format: raw}}}\n"

# A file, and what has to be said of it.
BAD = {
    "r:\n  concurency: 2\n  input: {file: {path: x}}\n": 'f.yaml:2:3: r.concurency: unknown key (did you mean "concurrency"?)',
    "routes:\n  r:\n    output: {file: {path: x}}\n": "f.yaml:2:3: routes.r.input: missing",
    "r:\n  input:\n    file:\n      path: x\n      delet: true\n": 'f.yaml:5:7: r.input.file.delet: unknown key (did you mean "delete"?)',
    "r:\n  batch_size: many\n  input: {file: {path: x}}\n": 'f.yaml:2:15: r.batch_size: "many" where integer is wanted',
    "r:\n  input:\n    file: {path: x}\n    static: t\n": "f.yaml:4:5: r.input: two endpoint types",
    'r:\n  input: "file://x"\n': "f.yaml:2:10: r.input: an endpoint is a map",
    "r:\n  input: {file: {path: x}}\n  output: {fiel: {path: y}}\n": "f.yaml:3:12: r.output.fiel: ",
    "r:\n  input: {null: {}}\n  output: {file: {path: x}}\n": 'f.yaml:2:11: r.input.null: "null" cannot stand at an input',
    "r:\n  input: {file: {path: x}\n  output: null\n": "f.yaml:3:",
    "r:\n  input: {file: {path: x, format: csv, csv: {header: false}}}\n": "f.yaml:2:11: r.input.file: csv: ",
    "r:\n  required_delivery: effectively_once\n  input: {file: {path: x}}\n  output: {file: {path: y}}\n": "f.yaml:2:3: r.required_delivery: asks for effectively_once",
}


class CommandLine(bridge.Case):
    def code(self, *arguments):
        return self.bridge(*arguments).returncode

    def test_help_is_everywhere_and_has_an_example(self):
        for words in ([], ["run"], ["check"], ["plugins"], ["describe"], ["new"], ["new", "plugin"], ["conformance"]):
            with self.subTest(words):
                done = self.bridge(*words, "--help")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, "(?i)example")

    def test_version(self):
        self.assertRegex(self.bridge("--version").stdout, r"^mqbridge \d+\.\d+\.\d+ ")

    def test_exit_codes(self):
        self.write("in.jsonl", "{}\n")
        self.write("good.yaml", GOOD)
        self.write("lost.yaml", GOOD.replace("in.jsonl", "nowhere/in.jsonl"))
        self.assertEqual(self.code(), 2)
        self.assertEqual(self.code("run"), 2)
        self.assertEqual(self.code("fly"), 2)
        self.assertEqual(self.code("run", "good.yaml", "--fast"), 2)
        self.assertEqual(self.code("run", "nowhere.yaml"), 2)
        self.assertEqual(self.code("check", "good.yaml"), 0)
        self.assertFalse((self.folder / "out.jsonl").exists())
        self.assertEqual(self.code("run", "good.yaml"), 0)
        self.assertEqual(self.code("describe", "nothing_like_it"), 2)
        self.assertEqual(self.code("new", "plugin", "Bad-Name"), 2)

    def test_an_option_that_may_be_repeated_takes_one_value_each_time(self):
        """Route files behind it are route files."""
        for name in ("one", "two"):
            self.write(f"{name}.yaml", GOOD.replace("r:", f"{name}:").replace("out.jsonl", f"{name}.out"))
        self.write("in.jsonl", "a\n")
        library = next(bridge.PLUGINS.glob("libmqb_file.so"))
        for words in (["--plugin", library], ["--plugin-dir", bridge.PLUGINS], ["--plugin", library, "--plugin", library.with_name("libmqb_memory.so")],
                      ["--plugin-dir", f"{bridge.PLUGINS}:{bridge.PLUGINS}"]):
            with self.subTest(words):
                done = self.bridge("check", *words, "one.yaml", "two.yaml", "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, "")
                self.assertEqual(sorted(r["name"] for r in json.loads(done.stdout)["routes"]), ["one", "two"])
        self.assertEqual(self.code("run", "--plugin", library, "one.yaml", "two.yaml"), 0)
        self.assertEqual([(self.folder / f"{name}.out").read_text() for name in ("one", "two")], ["a\n", "a\n"])
        replayed = self.bridge("dlq", "replay", "--plugin-dir", bridge.PLUGINS, "one.yaml")
        self.assertEqual((replayed.returncode, replayed.stderr), (0, ""))

    def test_no_limit_is_zero_or_less(self):
        for words in (["copy", "-", "out.jsonl"], ["dlq", "list"], ["dlq", "replay"], ["dlq", "purge", "--all"]):
            for number in ("0", "-1", "many"):
                with self.subTest((words, number)):
                    done = self.bridge(*words, "--limit", number)
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn("--limit", done.stderr)
        alone = self.bridge("dlq", "purge", "--limit", "100")
        self.assertEqual((alone.returncode, alone.stdout), (2, ""))
        self.assertIn("say which letters with a filter, or --all", alone.stderr)

    def test_a_standard_output_that_takes_nothing_is_a_failure(self):
        self.write("in.jsonl", "{}\n")
        self.write("good.yaml", GOOD)
        (self.folder / "state").mkdir(mode=0o700)
        for words in (["--help"], ["--version"], ["plugins"], ["plugins", "--json"], ["describe", "file"], ["describe", "file", "--json"], ["schema"],
                      ["check", "good.yaml"], ["check", "good.yaml", "--json"], ["dlq", "list"], ["dlq", "list", "--json"],
                      ["completion", "bash"], ["run", "good.yaml", "--summary", "-"]):
            with self.subTest(words), open("/dev/full", "w") as full:
                done = subprocess.run([bridge.BINARY, *words], cwd=self.folder, env=bridge.environment(), stdin=subprocess.DEVNULL, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=bridge.PATIENCE)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(done.stderr.count("standard output cannot be written"), 1, done.stderr)

    def test_check_tells_each_mistake(self):
        for text, expected in BAD.items():
            with self.subTest(expected):
                self.write("f.yaml", text)
                done = self.bridge("check", "f.yaml")
                self.assertIn(expected, done.stderr)
                self.assertEqual(done.returncode, 2)
                ran = self.bridge("run", "f.yaml")
                self.assertIn(expected, ran.stderr)
                self.assertEqual(ran.returncode, 2)

    def test_an_error_in_one_file_stops_all(self):
        self.write("in.jsonl", "{}\n")
        self.write("good.yaml", GOOD)
        self.write("bad.yaml", "s: {input: {file: {pth: x}}}\n")
        self.assertEqual(self.code("run", "good.yaml", "bad.yaml"), 2)
        self.assertFalse((self.folder / "out.jsonl").exists())

    def test_one_name_in_two_files_is_refused(self):
        self.write("a.yaml", GOOD)
        self.write("b.yaml", GOOD)
        done = self.bridge("check", "a.yaml", "b.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("b.yaml:1:1: r: a route of this name is in a.yaml:1:1 already", done.stderr)

    def test_check_says_ok_with_one_line_for_each_route(self):
        self.write("f.yaml", GOOD + "off: {enabled: false, input: {static: x}}\n")
        done = self.bridge("check", "f.yaml")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "ok")
        self.assertEqual([line.split(":")[0] for line in lines[1:]], ["r", "off"])

    def test_json_is_a_form_of_the_same(self):
        self.write("in.jsonl", "a\nb\n")
        self.write("f.json", json.dumps({"routes": {"j": {"exit_on_empty": True, "input": {"file": {"path": "in.jsonl", "format": "raw"}}}}}))
        running = self.start("run", "f.json")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["j"], 2)

    def test_describe(self):
        shown = self.bridge("describe", "file")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("libmqb_file.so", shown.stdout)
        self.assertRegex(shown.stdout, r"path +text +required")
        told = json.loads(self.bridge("describe", "file", "--json").stdout)
        self.assertEqual((told["name"], told["kind"], told["sides"]), ("file", "endpoint", ["consumer", "publisher"]))
        self.assertIn("path", told["schema"]["properties"])
        built_in = json.loads(self.bridge("describe", "null", "--json").stdout)
        self.assertIsNone(built_in["file"])
        self.assertIn("idempotent", built_in["promises"]["publisher"])

    def test_a_summary_that_cannot_be_written_fails(self):
        self.write("f.yaml", "r: {exit_on_empty: true, input: {static: x}}\n")
        self.assertEqual(self.code("run", "f.yaml", "--summary", "/dev/full"), 1)
        for place, why in (("nowhere/s.json", "cannot be written: No such file or directory"), (".", "is a directory")):
            for words in (["run", "f.yaml"], ["copy", "static:?body=x&count=1", "null:", "--drain"]):
                done = self.bridge(*words, "--summary", place)
                self.assertEqual(done.returncode, 2, words)
                self.assertTrue(done.stderr.endswith(f"--summary {place}: {why}\n"), done.stderr)
                self.assertNotIn("completed", done.stderr)  # told before anything has run

    def test_logs_as_json(self):
        self.write("f.yaml", "r: {exit_on_empty: true, input: {static: x}}\n")
        done = self.bridge("run", "f.yaml", "--log-format", "json", "--summary", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
        self.assertIn(("r", "info"), [(line["route"], line["level"]) for line in lines if "route" in line])
        self.assertEqual(json.loads(done.stdout)["routes"]["r"]["delivered"], 512)


if __name__ == "__main__":
    bridge.main()
