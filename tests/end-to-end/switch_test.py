"""switch in routes: where messages go, what becomes of those that match nothing, what is wrong with its rules."""
import json
import os
import pathlib

import bridge
import dead_letters

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])


class Switch(dead_letters.Letters):
    def run_through(self, lines, output, more="", input="file: {path: in.jsonl, format: raw}", code=0):
        """Lines through a route with this output; what its ledger counts."""
        (self.folder / "in.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        self.write("routes.yaml", f"r:\n  exit_on_empty: true\n{more}  input: {{{input}}}\n  output:\n{output}")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.said = running.text
        ledger = running.ledgers()["r"]
        self.assertEqual(ledger["received"], sum(ledger[name] for name in bridge.COUNTERS), ledger)
        return {name: ledger[name] for name in bridge.COUNTERS if ledger[name]}

    def out(self, name):
        path = self.folder / name
        return path.read_bytes().splitlines() if path.exists() else None

    def test_conditions_choose_in_their_order_and_each_file_is_in_order(self):
        lines = [b'{"n":%d,"c":"%s"}' % (i, b"DE" if i % 2 else b"FR") for i in range(2000)]
        counts = self.run_through(lines, """
    switch:
      when:
        - {if: "n % 10 == 0", to: {file: {path: tens.jsonl, format: raw}}}
        - {if: "c == 'DE'", to: {file: {path: de.jsonl, format: raw}, middlewares: [{filter: "n > 5"}]}}
        - {if: "n == 2", to: null}
      default: {file: {path: rest.jsonl, format: raw}}
""", more="  batch_size: 70\n")
        self.assertEqual(counts, {"delivered": 1997, "filtered": 3})
        self.assertEqual(self.out("tens.jsonl"), lines[::10])
        self.assertEqual(self.out("de.jsonl"), [line for i, line in enumerate(lines) if i % 2 and i > 5])
        self.assertEqual(self.out("rest.jsonl"), [line for i, line in enumerate(lines) if i % 2 == 0 and i % 10 and i != 2])

    def test_a_metadata_key_chooses_and_null_discards(self):
        lines = [json.dumps({"message_id": i, "payload": str(i), "metadata": {"kind": kind}}).encode()
                 for i, kind in enumerate(["US", "us", "DE", "US", "none"])]
        counts = self.run_through(lines, """
    switch:
      metadata_key: kind
      cases: {US: {file: {path: us.txt, format: raw}}, DE: null}
      default: {file: {path: rest.txt, format: raw}}
""", input="file: {path: in.jsonl}")
        self.assertEqual(counts, {"delivered": 5})
        self.assertEqual(self.out("us.txt"), [b"0", b"3"])
        self.assertEqual(self.out("rest.txt"), [b"1", b"4"])

    def test_what_matches_nothing_or_has_no_answer_is_a_dead_letter_with_the_reason(self):
        output = """
    switch:
      when:
        - {if: "n > 1", to: {file: {path: out.txt, format: raw}}}
"""
        counts = self.run_through([b'{"n":2}', b'{"n":1}', b"text", b'{"n":3}'], output)
        self.assertEqual(counts, {"delivered": 2, "dead_lettered": 2})
        self.assertEqual(self.out("out.txt"), [b'{"n":2}', b'{"n":3}'])
        letters = self.dlq("list")
        self.assertEqual(self.payloads(), [b'{"n":1}', b"text"])
        self.assertEqual([letter["error"] for letter in letters],
                         ["unmatched: no condition of the switch holds, and it has no default",
                          "switch: when[0]: the payload is not structured JSON: it is no JSON"])
        self.assertEqual([(letter["class"], letter["endpoint"]) for letter in letters], [("refused", "output")] * 2)

    def test_a_dlq_around_it_takes_what_matches_nothing_and_may_be_a_switch_itself(self):
        counts = self.run_through([b'{"n":2}', b'{"n":1}', b"text", b'{"n":0}'], """
    switch: {when: [{if: "n > 1", to: {file: {path: out.txt, format: raw}}}]}
    middlewares:
      - dlq:
          endpoint:
            switch:
              when: [{if: "startsWith(meta['mq_bridge.dlq.error'], 'non-retryable error: unmatched')", to: {file: {path: unmatched.txt, format: raw}}}]
              default: {file: {path: wrong.txt, format: raw}}
""")
        self.assertEqual(counts, {"delivered": 1, "dead_lettered": 3})
        self.assertEqual(self.out("unmatched.txt"), [b'{"n":1}', b'{"n":0}'])
        self.assertEqual(self.out("wrong.txt"), [b"text"])

    def test_a_destination_that_fails_is_tried_again_alone_and_is_named(self):
        lines = [b'{"n":%d}' % i for i in range(20)]
        self.answers([{"answer": "again", "text": "busy"}] * 10 + [{"answer": "refused", "text": "no"}], "odd")
        counts = self.run_through(lines, """
    switch:
      when: [{if: "n % 2 == 1", to: {scripted: {script: odd.json, log: odd.log}}}]
      default: {file: {path: even.txt, format: raw}}
""")
        self.assertEqual(counts, {"delivered": 19, "dead_lettered": 1})
        self.assertEqual(self.out("even.txt"), lines[::2])
        self.assertEqual(len(self.sent("odd")), 20)
        self.assertEqual(self.dlq("list")[0]["error"], "output.switch.when[0].to: no")

    def test_a_check_says_what_is_guaranteed(self):
        self.write("routes.yaml", """
ordered: {input: {file: {path: a, mode: group_subscribe, group_id: g}}, output: {switch: {metadata_key: k, cases: {a: {file: {path: x}}}, default: null}}}
any: {input: {file: {path: a, mode: group_subscribe, group_id: h}}, output: {switch: {metadata_key: k, cases: {a: {memory: {topic: t, subscribe_mode: true}}}, default: null}}}
""")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"ordered: file to switch, at least once \(.*\), ordered\n")
        self.assertRegex(done.stdout, r"any: file to switch, .*, not ordered \(output.switch may get a message again after later ones\)\n")

    def test_a_condition_from_a_place_for_secrets_is_not_shown_and_one_beside_it_is(self):
        self.write("hidden.txt", "pass_word >")
        self.write("routes.yaml", "r: {input: {static: x}, output: {switch: {when: [{if: '${file:hidden.txt}', to: null}, {if: 'b >', to: null}]}}}\n")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.stderr.splitlines(), [
            "routes.yaml:1:51: r.output.switch.when[0].if: the expression ends where a value is missing",
            "routes.yaml:1:89: r.output.switch.when[1].if: the expression ends where a value is missing", "  b >", "     ^"])

    def test_a_destination_that_can_never_be_opened_fails_the_route_and_is_named(self):
        counts = self.run_through([b"{}"], "    switch: {when: [{if: 'true', to: {file: {path: nowhere/out}}}]}\n", code=1)
        self.assertEqual(counts, {})
        self.assertIn("output.switch.when[0].to: cannot open file target 'nowhere/out'", self.said)


if __name__ == "__main__":
    bridge.main()
