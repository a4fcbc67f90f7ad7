"""filter and transform in routes: what passes, what is counted, what becomes of messages that they have no answer for; C094, C095, C097."""
import json
import os
import pathlib
import shutil

import bridge
import dead_letters

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])
ORDERS = [b'{"id":1,"name":"Ada","country":"DE","amount":150,"items":["a","b"]}', b'{"id":2,"name":"Bo","country":"FR","amount":60,"items":[]}',
          b'{"id":"3","name":"Cy","country":"DE","amount":20.5}', b'{"id":4,"country":"US","amount":120}',
          b'{"id":5,"name":"Ada","country":"DE","amount":"99"}']


class FilterTransform(dead_letters.Letters):
    def run_through(self, lines, input="", output="", format="raw", code=0, more=""):
        """Lines through a route with these middlewares; its ledger and what came out."""
        (self.folder / "in.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        self.write("routes.yaml", f"r:\n  exit_on_empty: true\n{more}  input: {{file: {{path: in.jsonl, format: raw}}, middlewares: [{input}]}}\n"
                                  f"  output: {{file: {{path: out.jsonl, format: {format}}}, middlewares: [{output}]}}\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.said = running.text
        ledger = running.ledgers()["r"]
        self.assertEqual(ledger["received"], sum(ledger[name] for name in bridge.COUNTERS), ledger)
        out = self.folder / "out.jsonl"
        return {name: ledger[name] for name in bridge.COUNTERS if ledger[name]}, out.read_bytes().splitlines() if out.exists() else []

    def test_golden_filter_forms(self):
        shutil.copy(GOLDEN / "21-filter-forms.yaml", self.folder / "routes.yaml")
        (self.folder / "in.jsonl").write_bytes(b"\n".join(ORDERS) + b"\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        # country in DE and FR, or no name; then amount over 50, where a text is the number that it says
        self.assertEqual((self.folder / "out21.jsonl").read_bytes().splitlines(), [ORDERS[0], ORDERS[1], ORDERS[3], ORDERS[4]])
        ledger = running.ledgers()["keep"]
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["filtered"]), (5, 4, 1))

    def test_golden_transform(self):
        for name in ("20-transform-all.yaml", "schema20.json"):
            shutil.copy(GOLDEN / name, self.folder)
        (self.folder / "in.jsonl").write_bytes(b"\n".join(ORDERS) + b"\n")
        running = self.start("run", "20-transform-all.yaml")
        self.assertEqual(running.end(), 0, running.text)
        shaped = ['{"id":%d,"who":{"name":"%s"},"amount":%s,"double":%s,"src":"raw","tier":"standard"}' % row
                  for row in [(1, "Ada", "150", "300"), (2, "Bo", "60", "120"), (3, "Cy", "20.5", "41.0"), (4, "nobody", "120", "240")]]
        # The amount of the last one is a text: "99" * 2 is an error, and the message passes as it came.
        self.assertEqual((self.folder / "out20.jsonl").read_bytes().decode().splitlines(), [*shaped, ORDERS[4].decode()])

    def test_what_a_filter_of_an_input_has_no_answer_for_is_a_dead_letter_with_the_reason(self):
        counts, out = self.run_through([b'{"a":1}', b"text", b'{"a":"x"}', b'{"a":0}', b'{"a":2}'], input='filter: "a > 0"')
        self.assertEqual(counts, {"delivered": 2, "filtered": 1, "dead_lettered": 2})
        self.assertEqual(out, [b'{"a":1}', b'{"a":2}'])
        letters = self.dlq("list")
        self.assertEqual(self.payloads(), [b"text", b'{"a":"x"}'])
        self.assertEqual(letters[0]["error"], "filter: the payload is not structured JSON: it is no JSON")
        self.assertTrue(letters[1]["error"].startswith("filter: "), letters[1])
        self.assertEqual([letter["endpoint"] for letter in letters], ["input", "input"])

    def test_on_an_output_such_a_message_is_refused(self):
        counts, out = self.run_through([b'{"a":1}', b"text", b'{"a":0}'], output='filter: "a > 0"')
        self.assertEqual(counts, {"delivered": 1, "filtered": 1, "dead_lettered": 1})
        self.assertEqual(self.dlq("list")[0]["error"], "filter: the payload is not structured JSON: it is no JSON")
        counts, out = self.run_through([b"text", b'{"a":3}'], output='{filter: "a > 0"}, {dlq: {endpoint: {file: {path: dead.jsonl, format: raw}}}}')
        self.assertEqual(counts, {"delivered": 1, "dead_lettered": 1})
        self.assertEqual((self.folder / "dead.jsonl").read_bytes(), b"text\n")

    def test_on_error_drop_discards_counts_and_tells_once(self):
        for name, wrong in [("filter: {expression: 'a > 0', on_error: drop}", 1), ("transform: {schema: {required: [a]}, on_error: drop}", 1)]:
            with self.subTest(name):
                counts, out = self.run_through([b'{"a":1}', b"text", b"more text"], input=name)
                self.assertEqual(counts, {"delivered": 1, "discarded": 2})
                self.assertEqual(self.said.count("the message is discarded, and others will only be counted"), 1)

    def test_a_transform_that_fails_passes_the_message_on_with_the_reason(self):
        counts, out = self.run_through([b'{"a":"1"}', b'{"b":1}'], format="normal",
                                       output="transform: {schema: {required: [a], properties: {a: {type: integer}}}, on_error: pass_through}")
        self.assertEqual(counts, {"delivered": 2})
        first, second = map(json.loads, out)
        self.assertEqual(first["payload"], {"a": 1} if isinstance(first["payload"], dict) else '{"a":1}')
        self.assertNotIn("mqb.transform_error", first["metadata"])
        self.assertEqual(second["metadata"]["mqb.transform_error"], "transform failed at $.a [missing_required]: the field is not there")

    def test_a_source_of_which_nothing_passes_is_settled_and_ends(self):
        counts, out = self.run_through([b'{"a":%d}' % i for i in range(50_000)], input='filter: "a < 0"')
        self.assertEqual(counts, {"filtered": 50_000})
        self.assertEqual(out, [])

    def test_C094_numbers_that_nobody_touched_do_not_change(self):
        fields = (b'{"id":6000000000000002181,"u":18446744073709551615,"n":-9223372036854775808,"big":123456789012345678901234567890,"f":0.1,"g":1.0,'
                  b'"h":1.10,"z":-0.0,"e":1e400,"flag":')
        other = fields.replace(b"2181", b"2180")
        counts, out = self.run_through([fields + b"false}", other + b"false}"], input="filter: 'id == 6000000000000002181'",
                                       output="transform: {expression: 'merge($root, {flag: true})'}")
        self.assertEqual(counts, {"delivered": 1, "filtered": 1})
        self.assertEqual(out, [fields + b"true}"])
        counts, out = self.run_through([fields + b'"1"}'], output="transform: {schema: {properties: {flag: {type: boolean}}}}")
        self.assertEqual(out[-1], fields + b"true}")

    def test_C095_deep_nesting_is_a_dead_letter_and_the_next_message_passes(self):
        def nested(depth):
            return [b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth]
        lines = [one for depth in (100_000, 1_100, 63) for payload in nested(depth) for one in (payload, b'{"a":1}')]
        for name in ("filter: '$root != 5'", "transform: {mapping: {all: $}}", "transform: {expression: '{all: $root}'}",
                     "transform: {schema: {type: [object, array]}}"):
            with self.subTest(name):
                shutil.rmtree(self.folder / "state", ignore_errors=True)
                (self.folder / "out.jsonl").unlink(missing_ok=True)
                counts, out = self.run_through(lines, input=name)
                self.assertEqual(counts, {"delivered": 8, "dead_lettered": 4})
                self.assertEqual(len(out), 8)
                self.assertEqual([letter["error"].endswith("its nesting is deeper than 128") for letter in self.dlq("list")], [True] * 4)

    def test_C097_filter_and_output_agree_where_a_key_repeats(self):
        counts, out = self.run_through([b'{"role":"user","role":"admin"}', b'{"role":"admin","role":"user"}'],
                                       input="""filter: 'role == "user"'""", output="transform: {expression: 'merge($root, {seen: true})'}")
        self.assertEqual(counts, {"delivered": 1, "filtered": 1})
        self.assertEqual(out, [b'{"role":"user","seen":true}'])

    def test_no_part_of_a_secret_is_shown_below_a_mistake(self):
        self.write("secret.txt", "0123456789secretX\n")
        self.write("routes.yaml", "r:\n  input: {file: {path: in.jsonl}, middlewares: [{filter: 'a == \"${file:secret.txt}\" and ('}]}\n  output: null\n")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "routes.yaml:2:50: r.input.middlewares[0].filter: the expression ends where a value is missing\n")

    def test_an_input_inside_another_endpoint_has_no_ledger_and_takes_no_filter(self):
        self.write("routes.yaml", "r:\n  input:\n    nesting:\n      from:\n        file: {path: in.jsonl, format: raw}\n        middlewares: [filter: 'a > 0']\n  output: null\n")
        done = self.bridge("check", "routes.yaml", "--plugin", bridge.BUILD / "tests" / "boundary-plugins" / "libmqb_nesting.so")
        self.assertEqual((done.returncode, done.stderr), (2, 'routes.yaml:6:23: r.input.nesting.from.middlewares[0].filter: "filter" cannot stand at an '
                                                             'input inside another endpoint: put it at the input of the route\n'))

    def test_a_filter_of_an_input_keeps_the_bound_of_what_is_in_flight(self):
        # One message that nobody takes stands in front of many that do not pass.
        with open(self.folder / "in.jsonl", "wb") as lines:
            lines.write(b'{"keep":1}\n')
            for _ in range(60):
                lines.write((b'{"keep":0,"x":"' + b"x" * 1000 + b'"}\n') * 1000)
        self.write("routes.yaml", "r:\n  max_in_flight_bytes: 4MiB\n  input: {file: {path: in.jsonl, format: raw}, middlewares: [filter: 'keep == 1']}\n"
                                  "  output: {memory: {topic: nobody, ack: true}}\n")
        running = self.start("run", "routes.yaml")

        def asked():
            done = self.bridge("status", "--json")
            return json.loads(done.stdout)["routes"]["r"] if done.returncode == 0 else {"received": 0}
        self.until(lambda: asked()["received"] > 1000)
        last = -1
        while last != (last := asked()["received"]):  # until it stands still
            pass
        status = pathlib.Path(f"/proc/{running.process.pid}/status").read_text()
        peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
        self.assertLess(asked()["received"], 8_000)
        self.assertLess(peak, 60 * 1024, status)
        running.signal_until_end(15)

    def test_copy_takes_a_filter_and_a_transform(self):
        (self.folder / "in.jsonl").write_bytes(b'{"a":1}\n{"a":2}\n')
        done = self.bridge("copy", "file:in.jsonl?format=raw|filter?expression=a%20%3E%201", "file:copied.jsonl?format=raw", "--drain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "copied.jsonl").read_bytes(), b'{"a":2}\n')

    def test_mistakes_are_told_with_their_place_before_anything_starts(self):
        self.write("routes.yaml", "r:\n  input: {file: {path: in.jsonl}, middlewares: [{filter: {expression: 'lenn(a) > 1'}}]}\n"
                                  "  output:\n    file: {path: o.jsonl}\n    middlewares:\n"
                                  "      - transform: {schema: {type: strin}}\n      - transform: {schema: {}, schema_file: x.json}\n"
                                  "      - filter: {expression: a, on_error: ignore}\n")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.splitlines()[:3], [
            'routes.yaml:2:50: r.input.middlewares[0].filter: there is no function "lenn" (did you mean "len"?)', "  lenn(a) > 1", "  ^^^^"])
        self.assertEqual([line.split(": ", 1)[0] for line in done.stderr.splitlines()[3:]], ["routes.yaml:6:9", "routes.yaml:7:9", "routes.yaml:8:43"])


if __name__ == "__main__":
    bridge.main()
