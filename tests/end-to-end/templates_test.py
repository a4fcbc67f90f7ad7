"""Templates: the page about them, static bodies on both sides, id, and order_by by a field of the payload."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest.mock

import bridge

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])
PAGE = (pathlib.Path(os.environ["MQB_TEST_DOCS"]) / "templates.md").read_text()
ORDERS = [b'{"id":1,"name":"Ada","country":"DE","amount":150}', b'{"id":2,"name":"B\\"o","country":"FR","amount":60}', b'{"id":3,"country":"US","amount":20.50}']


class Templates(bridge.Case):
    def evaluated(self, *arguments):
        return subprocess.run([bridge.BINARY, "eval", "--template", *arguments], cwd=self.folder, env=bridge.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=bridge.PATIENCE)

    def routes(self, text, lines=(), code=0, **variables):
        """Runs the routes to their end; the program."""
        (self.folder / "in.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        self.write("routes.yaml", text)
        with unittest.mock.patch.dict(os.environ, variables):
            running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        return running

    def lines(self, name):
        return (self.folder / name).read_text().splitlines()

    def test_each_example_of_the_page_gives_what_the_page_says(self):
        payload = re.search(r"```json\n(.*?)\n```", PAGE, flags=re.S)[1]
        examples = [line.split(" => ") for block in re.findall(r"```text\n(.*?)```", PAGE, flags=re.S) for line in block.splitlines()]
        self.assertGreater(len(examples), 9)
        for template, expected in examples:
            with self.subTest(template):
                done = self.evaluated(template, payload, "--metadata", "topic=orders")
                self.assertEqual((done.stdout, done.returncode), (expected + "\n", 0))

    def test_each_token_of_the_page_is_one(self):
        tokens = re.findall(r"(?m)^\| `(\$\{.*?\})` \|", PAGE)
        self.assertEqual(len(tokens), 10)
        for token in tokens:
            made = self.evaluated(token.replace("(a,b)", "(1,2)").replace("NAME", "HOME"))
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertNotIn("$", made.stdout)

    def test_eval_tells_what_has_no_value_and_where_a_mistake_is(self):
        for arguments, out, said, code in (
                (["<${payload:a}>", '{"b":1}'], "<>\n", "${payload:a} has no value\n", 0),
                (["<${payload:a}>", "text"], "<>\n", "${payload:a} has no value: the payload is not structured JSON: it is no JSON\n", 0),
                (["${metadata:k}", "--metadata", "k=v"], "v\n", "", 0),
                (["x ${payload:a|up}"], "", "unknown filter: known are raw and base64\n  x ${payload:a|up}\n                ^^\n", 2),
                (["x ${payload:a"], "", '"${" without "}"; a "${" that is text is written "$${"\n  x ${payload:a\n    ^^\n', 2)):
            with self.subTest(arguments):
                done = self.evaluated(*arguments)
                self.assertEqual((done.stdout, done.stderr, done.returncode), (out, said, code))
        self.assertEqual(self.evaluated("--filter", "x").returncode, 2)

    def test_golden_request_of_a_static_endpoint(self):
        shutil.copy(GOLDEN / "17-request-static.yaml", self.folder / "r.yaml")
        done = self.bridge("check", "r.yaml")
        self.assertNotIn("body", done.stderr)

    def test_golden_static_source(self):
        self.routes((GOLDEN / "18-static-source.yaml").read_text())
        self.assertEqual(self.lines("out18a.txt"), ["hello"] * 3)
        records = [json.loads(line) for line in self.lines("out18b.jsonl")]
        self.assertEqual([r["payload"] for r in records], [f"n={i} r=5 lit=${{payload:x}} keep=${{other:x}}" for i in range(4)])
        self.assertEqual([r["metadata"]["k"] for r in records], ["v"] * 4)
        self.assertEqual(len({r["message_id"] for r in records}), 4)

    def test_variables_of_the_file_come_before_tokens(self):
        for body, expected in (("${EA} ${EB}", "one two"), ("${NOPE:-dflt}", "dflt"), ("$$EA", "$EA"), ("$${EA}", "${EA}"), ("<$${payload:x}>", "<>"),
                               ("$$${payload:x}", "${payload:x}"), ("${env:EA}", "one"), ("$${env:EA}", "one"), ("${other:x} $5", "${other:x} $5"),
                               ("${gen:random(5,5)}", "5")):
            with self.subTest(body):
                (self.folder / "out.txt").unlink(missing_ok=True)
                self.routes(f"r:\n  exit_on_empty: true\n  batch_size: 1\n  input: {{static: '{body}'}}\n  output: {{file: {{path: out.txt, format: raw}}}}\n",
                            EA="one", EB="two")
                self.assertEqual(self.lines("out.txt"), [expected])

    def test_an_id_is_there_where_every_token_has_a_value(self):
        running = self.routes("r:\n  exit_on_empty: true\n  input: {file: {path: in.jsonl, format: raw}, middlewares: [id: '${payload:country}-${payload:name}']}\n"
                              "  output: {file: {path: out.jsonl, format: normal}}\n", [*ORDERS, b"text"])
        self.assertEqual([json.loads(line)["metadata"].get("mqb.id") for line in self.lines("out.jsonl")], ["DE-Ada", 'FR-B"o', None, None])
        self.assertEqual(running.text.count("gets no mqb.id"), 1, running.text)
        self.assertIn("id: a message gets no mqb.id: ${payload:name} has no value; others will not be told", running.text)
        self.assertEqual(running.ledgers()["r"]["delivered"], 4)

    def test_mistakes_are_told_with_place_and_excerpt(self):
        for route, said in (
                ("input: {static: 'a ${gen:uid}'}", "r.yaml:1:21: r.input.static: unknown selector: ${gen:…} knows uuid, now, timestamp, counter and "
                                                    "random(a,b)\n  a ${gen:uid}\n          ^^^\n"),
                ("input: {static: {body: '${env:NO_SUCH_VARIABLE_X}'}}", "r.yaml:1:28: r.input.static.body: the variable NO_SUCH_VARIABLE_X is not set and has no default\n"),
                ("input: {static: {body: '$${env:NO_SUCH_VARIABLE_X}'}}",
                 "r.yaml:1:28: r.input.static.body: the variable NO_SUCH_VARIABLE_X is not set\n  ${env:NO_SUCH_VARIABLE_X}\n        ^^^^^^^^^^^^^^^^^^\n"),
                ("input: {memory: {topic: t}, middlewares: [id: fixed]}",
                 "r.yaml:1:47: r.input.middlewares[0].id: is the same for all messages: it wants a token such as ${payload:order.id}\n"),
                ("input: {memory: {topic: t}}, output: {null: {}, middlewares: [id: '${message:id}']}",
                 'r.yaml:1:67: r.output.middlewares[0].id: "id" cannot stand at an output: it is for inputs\n'),
                ("input: {memory: {topic: t}}, order_by: '${gen:counter}'", "r.yaml:1:44: r.order_by: has to be the same each time a message comes: no ${gen:…}\n")):
            with self.subTest(route):
                self.write("r.yaml", f"r: {{{route}}}\n")
                done = self.bridge("check", "r.yaml")
                self.assertEqual((done.stderr, done.returncode), (said, 2))

    def test_messages_of_one_field_of_the_payload_stay_in_order(self):
        lines = [b'{"k":%d,"n":%d}' % (i % 7, i) for i in range(5_000)]
        self.routes("r:\n  exit_on_empty: true\n  concurrency: 4\n  batch_size: 16\n  order_by: '${payload:k}'\n  input: {file: {path: in.jsonl, format: raw}}\n"
                    "  output: {file: {path: out.jsonl, format: raw}, middlewares: [filter: 'n >= 0']}\n", lines)
        came = [json.loads(line) for line in self.lines("out.jsonl")]
        self.assertEqual(len(came), 5_000)
        for k in range(7):
            self.assertEqual([r["n"] for r in came if r["k"] == k], list(range(k, 5_000, 7)))


if __name__ == "__main__":
    bridge.main()
