"""fanout in routes: who gets what, and who sees again what one branch failed at; C105."""
import json
import os
import pathlib
import shutil
import signal

import bridge
import dead_letters

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])
COUNT = 100
LINES = [b'{"n":%d}' % i for i in range(COUNT)]
ORDERS = [b'{"id":1,"country":"DE","amount":150}', b'{"id":2,"country":"FR","amount":60}', b'{"id":3,"country":"DE","amount":"20.5"}',
          b'{"id":4,"country":"US","amount":120}', b'{"id":5,"country":"DE","amount":"199"}']


class Fanout(dead_letters.Letters):
    def run_through(self, output, lines=LINES, more="", code=0):
        """Lines through a route with this output; what its ledger counts."""
        (self.folder / "in.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        self.write("routes.yaml", f"r:\n  exit_on_empty: true\n{more}  input: {{file: {{path: in.jsonl, format: raw}}}}\n  output:\n{output}")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.said = running.text
        ledger = running.ledgers()["r"]
        self.assertEqual(ledger["received"], sum(ledger[name] for name in bridge.COUNTERS), ledger)
        return {name: ledger[name] for name in bridge.COUNTERS if ledger[name]}

    def out(self, name):
        path = self.folder / name
        return path.read_bytes().splitlines() if path.exists() else None

    def test_golden(self):
        shutil.copy(GOLDEN / "16-fanout-switch.yaml", self.folder / "routes.yaml")
        (self.folder / "in.jsonl").write_bytes(b"\n".join(ORDERS) + b"\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["spread"], len(ORDERS))
        self.assertEqual(self.out("out16-all.jsonl"), ORDERS)
        self.assertEqual(self.out("out16-big-de.jsonl"), [ORDERS[0], ORDERS[4]])
        self.assertEqual(self.out("out16-big.jsonl"), [ORDERS[3]])
        self.assertEqual(self.out("out16-small.jsonl"), [ORDERS[1], ORDERS[2]])
        self.assertEqual(self.out("out16-raw.jsonl"), ORDERS)

    def test_c105_the_branch_that_fails_twice_sees_each_message_again_and_the_other_does_not(self):
        for more in ("", "  batch_size: 7\n", "  batch_size: 7\n  concurrency: 4\n"):
            with self.subTest(more):
                (self.folder / "a.txt").unlink(missing_ok=True)
                (self.folder / "b.log").unlink(missing_ok=True)
                self.answers([{"answer": "again", "text": "busy"}] * (2 * COUNT), "b")
                counts = self.run_through("    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: b.log}}]\n", more=more)
                self.assertEqual(counts, {"delivered": COUNT})
                self.assertEqual(sorted(self.out("a.txt")), sorted(LINES))
                sent = self.sent("b")
                self.assertEqual(len(sent), 3 * COUNT)
                self.assertEqual(set(sent), {line.decode() for line in LINES})
                self.assertIn("output.fanout[1]: busy", self.said)

    def test_c105_a_retry_at_the_branch_or_around_the_fanout_is_for_the_branch_alone(self):
        retry = "middlewares: [{retry: {max_attempts: 3, initial_interval_ms: 1}}]"
        for at_branch, around in ((f", {retry}", ""), ("", f"    {retry}\n")):
            with self.subTest(around):
                (self.folder / "a.txt").unlink(missing_ok=True)
                (self.folder / "b.log").unlink(missing_ok=True)
                self.answers([{"answer": "again", "text": "busy"}] * (2 * COUNT), "b")
                counts = self.run_through("    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: b.log}" + at_branch + "}]\n" + around)
                self.assertEqual(counts, {"delivered": COUNT})
                self.assertEqual(sorted(self.out("a.txt")), sorted(LINES))
                self.assertEqual(len(self.sent("b")), 3 * COUNT)

    def test_c105_what_a_branch_refuses_for_good_is_a_dead_letter_once_that_names_it(self):
        self.answers([{"answer": "refused", "text": "no such table"}] * COUNT, "b")
        branches = "    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: b.log}}]\n"
        counts = self.run_through(branches + "    middlewares: [{dlq: {endpoint: {file: {path: dead.jsonl}}}}]\n")
        self.assertEqual(counts, {"dead_lettered": COUNT})
        self.assertEqual(self.out("a.txt"), LINES)
        letters = [json.loads(line) for line in self.out("dead.jsonl")]
        self.assertEqual(len(letters), COUNT)
        self.assertEqual({letter["metadata"]["mq_bridge.dlq.error"] for letter in letters}, {"non-retryable error: output.fanout[1]: no such table"})
        # Without one they are in the host's store.
        (self.folder / "a.txt").unlink()
        self.assertEqual(self.run_through(branches), {"dead_lettered": COUNT})
        self.assertEqual(self.out("a.txt"), LINES)
        self.assertEqual([letter["error"] for letter in self.dlq("list")], ["output.fanout[1]: no such table"] * COUNT)

    def test_c105_what_is_refused_and_cannot_be_buried_yet_is_not_seen_again_by_those_who_have_it(self):
        self.answers([{"answer": "refused", "text": "no such table"}] * (2 * COUNT), "b")
        self.answers([{"answer": "again", "text": "busy"}] * COUNT, "d")
        counts = self.run_through("    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: b.log}}]\n"
                                  "    middlewares: [{dlq: {endpoint: {scripted: {script: d.json, log: d.log}}}}]\n")
        self.assertEqual(counts, {"dead_lettered": COUNT})
        self.assertEqual(self.out("a.txt"), LINES)
        self.assertEqual(len(self.sent("b")), 2 * COUNT)
        self.assertEqual(len(self.sent("d")), 2 * COUNT)

    def test_a_dlq_at_a_branch_takes_what_that_one_refuses(self):
        self.answers([{"answer": "refused", "text": "no"}] * 3, "b")
        counts = self.run_through("    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: b.log},"
                                  " middlewares: [{dlq: {endpoint: {file: {path: dead.txt, format: raw}}}}]}]\n")
        self.assertEqual(counts, {"delivered": COUNT - 3, "dead_lettered": 3})
        self.assertEqual(self.out("a.txt"), LINES)
        self.assertEqual(self.out("dead.txt"), LINES[:3])
        self.assertEqual(len(self.sent("b")), COUNT)

    def test_what_a_branch_never_takes_is_dead_after_max_deliveries_and_the_other_has_it_once(self):
        self.answers([{"answer": "again", "text": "busy"}] * (3 * COUNT), "b")
        counts = self.run_through("    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: b.log}}]\n",
                                  more="  max_deliveries: 3\n")
        self.assertEqual(counts, {"dead_lettered": COUNT})
        self.assertEqual(self.out("a.txt"), LINES)
        self.assertEqual({(letter["error"], letter["class"], letter["attempts"]) for letter in self.dlq("list")},
                         {("output.fanout[1]: busy", "max_deliveries", 3)})

    def test_c105_kill_while_a_branch_is_retrying(self):
        (self.folder / "in.jsonl").write_bytes(b"".join(line + b"\n" for line in LINES))
        route = ("r:\n  exit_on_empty: true\n  batch_size: 10\n"
                 "  input: {file: {path: in.jsonl, format: raw, mode: group_subscribe, group_id: g}}\n"
                 "  output:\n    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: %s}}]\n")
        done = 50
        self.answers([{}] * done + [{"answer": "again", "text": "busy"}] * 100_000, "b")
        self.write("routes.yaml", route % "first.log")
        running = self.start("run", "routes.yaml")
        place = self.folder / "in.jsonl.g.offset"
        settled = len(b"".join(line + b"\n" for line in LINES[:done]))
        # Half of them are acknowledged; the others have been tried several times.
        self.until(lambda: place.exists() and int(place.read_text() or 0) == settled and len(self.sent("first")) >= COUNT + 3 * done)
        running.process.send_signal(signal.SIGKILL)
        self.assertEqual(running.end(), -signal.SIGKILL)
        self.assertEqual(sorted(self.out("a.txt")), sorted(LINES))  # until here each once
        self.answers([], "b")
        self.write("routes.yaml", route % "second.log")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["r"], COUNT - done)
        came_again = LINES[done:]
        self.assertEqual(sorted(self.out("a.txt")), sorted(LINES + came_again))
        first = self.sent("first")
        self.assertEqual(first[:done] + self.sent("second"), [line.decode() for line in LINES])

    def test_a_fanout_in_a_fanout_in_a_dlq(self):
        self.answers([{"answer": "refused", "text": "no"}] * (2 * COUNT), "b")
        self.answers([{"answer": "again", "text": "busy"}] * COUNT, "c")
        counts = self.run_through("""    scripted: {script: b.json, log: b.log}
    middlewares:
      - dlq:
          endpoint:
            fanout:
              - file: {path: x.txt, format: raw}
              - fanout: [{file: {path: y.txt, format: raw}}, {scripted: {script: c.json, log: c.log}}]
""")
        self.assertEqual(counts, {"dead_lettered": COUNT})
        self.assertEqual(sorted(self.out("x.txt")), sorted(LINES))
        self.assertEqual(sorted(self.out("y.txt")), sorted(LINES))
        self.assertEqual((len(self.sent("b")), len(self.sent("c"))), (2 * COUNT, 2 * COUNT))

    def test_what_fails_at_one_branch_comes_late_for_that_one_alone(self):
        self.answers(([{}] * 3 + [{"answer": "again"}]) * 20, "b")
        counts = self.run_through("    fanout: [{file: {path: a.txt, format: raw}}, {scripted: {script: b.json, log: b.log}}, {file: {path: c.txt, format: raw}}]\n",
                                  more="  batch_size: 7\n")
        self.assertEqual(counts, {"delivered": COUNT})
        self.assertEqual(self.out("a.txt"), LINES)
        self.assertEqual(self.out("c.txt"), LINES)

    def test_what_is_wrong_with_it(self):
        self.write("routes.yaml", "r: {input: {static: x}, output: {fanout: []}}\ns: {input: {static: x}, output: {fanout: }}\n"
                                  "t: {input: {fanout: [null]}, output: {fanout: [{file: {path: o}}, {file: {path: o}}, {fle: {}}]}}\n")
        done = self.bridge("check", "routes.yaml")
        lines = done.stderr.splitlines()
        self.assertEqual(lines[0], "routes.yaml:1:34: r.output.fanout: names no endpoints: every message would count as delivered and be gone")
        self.assertEqual(lines[1], "routes.yaml:2:34: s.output.fanout: null where list is wanted")
        self.assertEqual(lines[2], 'routes.yaml:3:13: t.input.fanout: "fanout" cannot stand at an input: it is for outputs')
        self.assertEqual(lines[3], 'routes.yaml:3:81: t.output.fanout[1].file.path: "o" is written by t.output.fanout[0].file.path too (routes.yaml:3:62)')
        self.assertTrue(lines[4].startswith('routes.yaml:3:87: t.output.fanout[2].fle: no plugin offers the endpoint "fle"'), lines)
        self.assertEqual((len(lines), done.returncode), (5, 2))


if __name__ == "__main__":
    bridge.main()
