"""mqbridge copy: two URIs are one route; what it says, how it ends, and what it says of a URI that is wrong."""
import json
import os
import pty
import re
import signal
import subprocess
import time

import bridge

# Source, target, and what has to be said of them.
BAD = [
    ("in.txt", "null:", 'SOURCE: "in.txt" has no scheme'),
    ("", "null:", "SOURCE: the URI is empty"),
    ("fiel:in.txt", "null:", 'SOURCE: no plugin offers the endpoint "fiel"; did you mean file?'),
    ("file:in.txt?formt=raw", "null:", 'SOURCE: "file" has no parameter "formt" (did you mean "format"?)'),
    ("file:in.txt?format", "null:", 'SOURCE: the parameter "format" has no value'),
    ("file:in.txt?format=row", "null:", "SOURCE: input.file.format: "),
    ("file:in.txt?format=raw&format=raw", "null:", 'SOURCE: "format" is said twice'),
    ("file:in.txt?path=other.txt", "null:", 'SOURCE: "path" is said twice'),
    ("file:in%2", "null:", 'SOURCE: "%2" is no escape'),
    ("file:${MQB_NOT_SET}", "null:", "SOURCE: input.file.path: the variable MQB_NOT_SET is not set"),
    ("file:in.txt", "null:x", 'TARGET: "null" takes no path, and "x" stands there'),
    ("file:in.txt", "file:o|rety?max_attempts=1", 'TARGET: no plugin offers the middleware "rety"'),
    ("file:in.txt", "file:o|rety?max_attempts=1", '(did you mean "retry"?)'),
    ("file:in.txt", "file:o|retry?max_attempts=many", 'TARGET: output.middlewares[0].retry.max_attempts: "many" where integer is wanted'),
    ("file:in.txt", "file:o|?x=1", "TARGET: the middleware \"\" behind | has no name"),
    ("file:in.txt", "file:o|dlq?endpoint=nowhere", 'TARGET: "nowhere" has no scheme'),
    ("file:in.txt", "file:o?csv={", 'TARGET: parameter "csv": is no JSON'),
    ("file:in.txt", "file:in.txt", '"in.txt" is read by the same route'),
    ("null:", "file:o", '"null" cannot stand at an input'),
]


class Copy(bridge.Case):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "a\nb\nc\n")

    def copy(self, *words, data=None, **extra):
        return subprocess.run([bridge.BINARY, "copy", *words], cwd=self.folder, env=bridge.environment() | extra, input=data,
                              stdin=None if data is not None else subprocess.DEVNULL, capture_output=True, timeout=bridge.PATIENCE)

    def ledger(self):
        return json.loads((self.folder / "s.json").read_text())["routes"]["copy"]

    def text(self, name):
        return (self.folder / name).read_text()

    def test_a_file_to_a_file(self):
        done = self.copy("file:in.txt?format=raw", "file:out.txt?format=raw", "--drain", "--summary", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.text("out.txt"), "a\nb\nc\n")
        self.assert_delivered(self.ledger(), 3)
        self.assertRegex(done.stdout.decode(), r"^copied 3 messages in [0-9.]+ s \(\d+ messages/s\)\n$")
        self.assertRegex(done.stderr.decode(), r"(?m)^copy +completed +3 +3 +0 ")

    def test_forms_of_a_path(self):
        for number, uri in enumerate(["file:in.txt", "file://in.txt", f"file:{self.folder}/in.txt", f"file://{self.folder}/in.txt", "file:i%6e.txt",
                                      "file:${NAME}.txt", "file:${NAME:-x}.txt", "file:${OTHER:-in.txt}", "file:${env:NAME}.txt"]):
            with self.subTest(uri):
                done = self.copy(uri + "?format=raw", f"file:out{number}?format=raw", "--drain", NAME="in")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.text(f"out{number}"), "a\nb\nc\n")

    def test_a_value_cannot_change_the_parts(self):
        self.write("a?b|c&d=e%20", "x\n")
        done = self.copy("file:${NAME}?format=raw", "file:out.txt?format=raw", "--drain", NAME="a?b|c&d=e%20")
        self.assertEqual((done.returncode, self.text("out.txt")), (0, "x\n"), done.stderr)
        done = self.copy("file:a%3Fb%7Cc&d=e%2520?format=raw", "file:out%24%7BX%7D?format=raw", "--drain")
        self.assertEqual((done.returncode, self.text("out${X}")), (0, "x\n"), done.stderr)

    def test_standard_streams_carry_data_and_nothing_else(self):
        for source, target in (("-?format=raw", "-?format=raw"), ("stdio:?format=raw", "stdio:?format=raw|retry?max_attempts=2"),
                               ("file:-?format=raw", "file:-?format=raw")):
            done = self.copy(source, target, data=b"x\ny\n")
            self.assertEqual((done.returncode, done.stdout), (0, b"x\ny\n"), done.stderr)
            self.assertIn(b"copied 2 messages", done.stderr)
        self.assertEqual(self.copy("file:in.txt", "-", "--summary", "-").returncode, 2)

    def test_standard_streams_in_a_route_file(self):
        self.write("r.yaml", 'r: {exit_on_empty: true, input: {file: {path: "-", format: csv}}, output: {file: {path: "-", format: csv, csv: {separator: tab}}}}\n')
        for before in ("", "x\ty\n0\t0\n"):
            with open(self.folder / "out.txt", "w") as out:
                out.write(before)
                out.flush()
                done = subprocess.run([bridge.BINARY, "run", "r.yaml"], cwd=self.folder, env=bridge.environment(), input=b"x,y\n1,2\n3,\n",
                                      stdout=out, stderr=subprocess.PIPE, timeout=bridge.PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.text("out.txt"), (before or "x\ty\n") + "1\t2\n3\t\n")
        self.assertEqual(sorted(path.name for path in self.folder.glob("*.writing")), [])

    def test_a_standard_output_that_its_reader_closes_ends_the_copy(self):
        """Before the first message, and in the middle of a batch; what nobody took is not acknowledged."""
        for size, wanted in ((3, 0), (100_000, 4)):
            with self.subTest(size):
                self.write("many.txt", "".join(f"{i:09}\n" for i in range(size)))
                reading, writing = os.pipe()
                process = subprocess.Popen([bridge.BINARY, "copy", "file:many.txt?format=raw", "-?format=raw", "--summary", "s.json"],
                                           cwd=self.folder, env=bridge.environment(), stdin=subprocess.DEVNULL, stdout=writing,
                                           stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                os.close(writing)
                if wanted:
                    os.read(reading, wanted)
                os.close(reading)
                errors = process.communicate(timeout=bridge.PATIENCE)[1]
                self.assertEqual(process.returncode, 1, errors)
                self.assertIn("cannot write to file target '/dev/stdout': standard output was closed by its reader", errors)
                ledger = self.ledger()
                self.assert_exact(ledger)
                self.assertEqual(ledger["state"], "failed")
                self.assertLess(ledger["delivered"], size)

    def test_the_middlewares_and_the_endpoint_in_one(self):
        done = self.copy("static:?body=%7B%7D&count=5", "file:out.txt?format=raw|dlq?endpoint=file%3Adead.txt|retry?max_attempts=2", "--summary", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_delivered(self.ledger(), 5)
        self.assertEqual(self.text("out.txt"), "{}\n" * 5)
        self.assertTrue((self.folder / "dead.txt").exists())

    def test_a_map_is_json(self):
        self.write("in.csv", "a;b\n1;2\n")
        done = self.copy('file:in.csv?format=csv&csv={"separator":";"}', "-?format=raw", "--drain")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (0, {"a": "1", "b": "2"}), done.stderr)

    def test_a_limit_is_exact_and_an_end(self):
        for limit in (1, 2, 3):
            with self.subTest(limit):
                (self.folder / "out.txt").unlink(missing_ok=True)
                done = self.copy("file:in.txt?format=raw", "file:out.txt?format=raw", "--limit", str(limit), "--batch-size", "2", "--summary", "s.json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_delivered(self.ledger(), limit)
                self.assertEqual(self.text("out.txt"), "a\nb\nc\n"[:2 * limit])
        done = self.copy("static:?body=x", "null:", "--limit", "100001", "--concurrency", "4", "--summary", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_delivered(self.ledger(), 100001)

    def test_waiting_ends_when_nothing_comes(self):
        began = time.monotonic()
        done = self.copy("file:in.txt?format=raw", "file:out.txt?format=raw", "--wait", "0.5", "--summary", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreaterEqual(time.monotonic() - began, 0.5)
        self.assert_delivered(self.ledger(), 3, "stopped")

    def test_without_drain_it_goes_on_until_a_signal(self):
        running = self.start("copy", "file:in.txt?format=raw", "-?format=raw")
        self.assertTrue(running.wait_until(lambda: running.output_size == 6))
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["copy"], 3, "stopped")

    def test_what_is_wrong_is_named(self):
        for source, target, expected in BAD:
            with self.subTest(source=source, target=target):
                done = self.copy(source, target)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(expected, done.stderr.decode())
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = self.copy("file:in.txt", "null:", "--filter", "a >")
        self.assertEqual((done.returncode, done.stderr.decode().splitlines()),
                         (2, ["--filter: input.middlewares[0].filter: the expression ends where a value is missing", "  a >", "     ^"]))
        for words in (["--limit", "0"], ["--wait", "0"], ["--concurrency", "0"], ["--batch-size", "0"]):
            self.assertEqual(self.copy("file:in.txt", "null:", *words).returncode, 2, words)

    def test_a_filter_lets_through_what_it_holds_of(self):
        self.write("in.jsonl", '{"a":1,"k":"x"}\n{"a":2,"k":"x"}\n{"a":3,"k":"y"}\n')
        done = self.copy("file:in.jsonl?format=raw|filter?expression=a%20%3E%201", "file:out.jsonl?format=raw", "--filter", "`${k}!` == 'x!'",
                         "--drain", "--summary", "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out.jsonl").read_text(), '{"a":2,"k":"x"}\n')
        ledger = json.loads((self.folder / "s.json").read_text())["routes"]["copy"]
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["filtered"]), (3, 1, 2))
        # It is taken as it is, whatever a route file would make of it.
        self.write("price.jsonl", '{"p":"$$x"}\n{"p":"$x"}\n')
        done = self.copy("file:price.jsonl?format=raw", "file:price.out?format=raw", "--filter", 'p == "$$x"', "--drain")
        self.assertEqual((done.returncode, (self.folder / "price.out").read_text()), (0, '{"p":"$$x"}\n'), done.stderr)
        done = self.copy("file:price.jsonl?format=raw", "null:", "--filter", "", "--drain")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_what_is_refused_is_kept_or_ends_the_copy(self):
        self.write("in.txt", "a\ntoo long\nb\n")
        target = "file:out.txt?format=raw&max_message_bytes=3"
        done = self.copy("file:in.txt?format=raw", target, "--drain", "--summary", "s.json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.ledger()["state"], "failed")
        self.assertEqual(self.ledger()["dead_lettered"], 0)
        for words, more, code in (("--strict", "|dlq?endpoint=file%3Adead.txt%3Fformat%3Draw", 3), ("--quiet", "|dlq?endpoint=file%3Adead.txt%3Fformat%3Draw", 0),
                                  ("--strict", "", 3)):
            with self.subTest(words + more):
                for name in ("out.txt", "dead.txt"):
                    (self.folder / name).unlink(missing_ok=True)
                done = self.copy("file:in.txt?format=raw", target + more, "--drain", "--summary", "s.json", "--state-dir", str(self.folder / "state"), words)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assert_exact(self.ledger())
                self.assertEqual((self.ledger()["received"], self.ledger()["delivered"], self.ledger()["dead_lettered"]), (3, 2, 1))
                self.assertEqual(self.text("out.txt"), "a\nb\n")
                if more:
                    self.assertEqual(self.text("dead.txt"), "too long\n")
        self.assertEqual([letter["route"] for letter in json.loads(self.bridge("dlq", "list", "--json", "--state-dir", "state").stdout)], ["copy"])

    def test_a_source_that_is_not_there_fails(self):
        done = self.copy("file:nowhere.txt", "null:", "--drain")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"nowhere.txt", done.stderr)

    def test_secrets_of_files_are_not_told(self):
        self.write("secret", "hunter2-hunter2")
        done = self.copy("file:${file:" + str(self.folder / "secret") + "}", "null:", "--drain")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn(b"hunter2", done.stdout + done.stderr)

    def test_the_password_of_a_uri_is_never_told(self):
        uri = "//me:pw1@h:5/q"
        for words in (["file:" + uri, "null:"], ["nothing:" + uri, "null:"], ["null:" + uri, "null:"], ["file:in.txt", "file:" + uri],
                      ["file:in.txt", "null:", "spare:" + uri], ["file:in.txt", "null:", "--limit", "x:" + uri], ["x:" + uri],
                      ["file:in.txt?format=x:" + uri, "null:"], ["file:in.txt?x:" + uri, "null:"], ["file:x:" + uri, "null:", "--drain"],
                      ["static:?body=x&count=x:" + uri, "null:"], ["file:in.txt", "null:|dlq?endpoint=file%3A%2F%2Fme%3Apw1%40h"],
                      ["file:in.txt", "null:", "--state-dir", "/dev/null/x:" + uri]):
            with self.subTest(words):
                done = self.copy(*words)
                self.assertNotEqual(done.returncode, 0)
                self.assertTrue(done.stderr)
                self.assertNotIn(b"pw1", done.stdout + done.stderr)

    def copy_on_terminal(self, *words):
        """Runs with a terminal for standard error; what it showed."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([bridge.BINARY, "copy", *words], cwd=self.folder, env=bridge.environment() | {"TERM": "xterm"},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        shown = bridge.shown_on(ours)
        output = process.stdout.read()
        process.stdout.close()
        self.assertEqual(process.wait(timeout=bridge.PATIENCE), 0, shown)
        return shown, output

    def test_progress_is_for_terminals(self):
        words = ["file:in.txt?format=raw", "file:out.txt?format=raw", "--wait", "0.5"]
        shown, _ = self.copy_on_terminal(*words)
        lines = re.findall(r"\r\x1b\[K([^\r\x1b]+)", shown)
        self.assertRegex(shown, r"\r\x1b\[K3 messages, 3 B; \d+ messages/s, \d+ B/s")
        self.assertRegex(shown, r" messages/s, \d+ B/s; 0 B to go")
        self.assertLessEqual(len(lines), 20)  # at most ten a second
        self.assertNotIn("\x1b", self.copy_on_terminal(*words, "--quiet")[0])
        piped, output = self.copy_on_terminal("file:in.txt?format=raw", "-?format=raw", "--wait", "0.5")
        self.assertNotIn("\x1b", piped)
        self.assertEqual(output, b"a\nb\nc\n")
        self.assertNotIn(b"\x1b", self.copy(*words).stderr)


if __name__ == "__main__":
    bridge.main()
