"""random_panic in routes: what becomes of faults with and without retry, dlq and the host's dead letters; the golden route of failing sends."""
import json
import os
import pathlib
import shutil

import bridge
import dead_letters

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])
ROWS = [f'{{"n":{i}}}' for i in range(5)]
DLQ = "dlq: {endpoint: {file: {path: dead.jsonl, format: normal}}}"


class RandomPanic(dead_letters.Letters):
    def run_route(self, output="", input="", more="", code=0, rows=ROWS, format="normal"):
        (self.folder / "in.jsonl").write_text("".join(row + "\n" for row in rows))
        for name in ("out.jsonl", "dead.jsonl"):
            (self.folder / name).unlink(missing_ok=True)
        shutil.rmtree(self.folder / "state", ignore_errors=True)
        self.write("routes.yaml", f"r:\n  exit_on_empty: true\n  allow_fault_injection: true\n{more}  input: {{file: {{path: in.jsonl, format: raw}}, middlewares: [{input}]}}\n"
                                  f"  output: {{file: {{path: out.jsonl, format: {format}}}, middlewares: [{output}]}}\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.said = running.text
        ledger = running.ledgers()["r"]
        self.assert_exact(ledger)
        return {name: ledger[name] for name in bridge.COUNTERS if ledger[name]}

    def rows(self, name):
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def test_golden_retry_and_dlq(self):
        shutil.copy(GOLDEN / "22-retry-dlq.yaml", self.folder / "routes.yaml")
        (self.folder / "in.jsonl").write_text("".join(row + "\n" for row in ROWS))
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        dead = self.rows("dead22.jsonl")
        self.assertEqual([row["payload"] for row in dead], ROWS)
        for row in dead:
            self.assertEqual(row["metadata"]["mq_bridge.dlq.error"], "non-retryable error: random_panic: json_format_error at send 1")
        self.assertFalse((self.folder / "out22.jsonl").exists() and (self.folder / "out22.jsonl").read_text())
        self.assertEqual(running.ledgers()["fails"]["dead_lettered"], 5)

    def test_a_fault_once_below_retry_everything_is_delivered_in_the_second_try(self):
        for mode in ("timeout", "nack"):
            counts = self.run_route(f"{{random_panic: {{mode: {mode}, trigger_on_message: 1}}}}, {{retry: {{max_attempts: 3, initial_interval_ms: 1}}}}")
            self.assertEqual(counts, {"delivered": 5})
            self.assertEqual([(row["payload"], row["metadata"]["mq_bridge.retry.attempt"]) for row in self.rows("out.jsonl")], [(row, "2") for row in ROWS])

    def test_a_fault_always_below_retry_and_dlq_everything_is_in_the_dlq(self):
        counts = self.run_route(f"{{random_panic: {{mode: timeout}}}}, {{retry: {{max_attempts: 2, initial_interval_ms: 1}}}}, {{{DLQ}}}")
        self.assertEqual(counts, {"dead_lettered": 5})
        for row in self.rows("dead.jsonl"):
            self.assertRegex(row["metadata"]["mq_bridge.dlq.error"], r"^retryable error: Retries exhausted after 2 attempts: random_panic: timeout at send \d+$")
        self.assertEqual(self.rows("out.jsonl"), [])

    def test_a_dlq_below_retry_never_sees_what_is_exhausted(self):
        counts = self.run_route(f"{{random_panic: {{mode: timeout}}}}, {{{DLQ}}}, {{retry: {{max_attempts: 2, initial_interval_ms: 1}}}}", more="  max_deliveries: 2\n")
        self.assertEqual(counts, {"dead_lettered": 5})
        self.assertEqual(self.rows("dead.jsonl"), [])
        self.assertEqual(len(self.dlq("list")), 5)

    def test_a_fault_for_good_on_one_batch_without_a_dlq(self):
        counts = self.run_route("random_panic: {mode: json_format_error, trigger_on_message: 1}", more="  batch_size: 2\n")
        self.assertEqual(counts, {"delivered": 3, "dead_lettered": 2})
        self.assertEqual([row["payload"] for row in self.rows("out.jsonl")], ROWS[2:])
        self.assertEqual([letter["error"] for letter in self.dlq("list")], ["random_panic: json_format_error at send 1"] * 2)

    def test_a_lost_connection_is_no_matter_of_retry_or_dlq(self):
        counts = self.run_route(f"{{random_panic: {{mode: disconnect, trigger_on_message: 1}}}}, {{retry: {{max_attempts: 1}}}}, {{{DLQ}}}")
        self.assertEqual(counts, {"delivered": 5})
        self.assertEqual([row["payload"] for row in self.rows("out.jsonl")], ROWS)
        self.assertEqual(self.rows("dead.jsonl"), [])

    def test_on_an_input_faults_lose_nothing_and_a_made_up_message_is_one_more(self):
        for mode in ("disconnect", "timeout", "nack"):
            with self.subTest(mode):
                counts = self.run_route(input=f"random_panic: {{mode: {mode}, trigger_on_message: 1}}", format="raw")
                self.assertEqual(counts, {"delivered": 5})
                self.assertIn(f"random_panic: {mode} at receive 1", self.said)
                self.assertEqual((self.folder / "out.jsonl").read_text().splitlines(), ROWS)
        counts = self.run_route(input="random_panic: {mode: json_format_error, trigger_on_message: 1}", format="raw")
        self.assertEqual(counts, {"delivered": 5})
        self.assertEqual((self.folder / "out.jsonl").read_text().splitlines(), ["{invalid json}", *ROWS])
        counts = self.run_route(input='{filter: "n >= 0"}, {random_panic: {mode: json_format_error, trigger_on_message: 1}}', format="raw")
        self.assertEqual(counts, {"delivered": 5})
        self.assertRegex(self.said, r"random_panic: the made-up message was not delivered: filter: ")

    def test_a_panic_fails_its_route_and_no_other(self):
        for side in ("input", "output"):
            with self.subTest(side):
                (self.folder / "in.jsonl").write_text("".join(row + "\n" for row in ROWS))
                (self.folder / "fine.jsonl").unlink(missing_ok=True)
                other = "output" if side == "input" else "input"
                names = {"input": "in.jsonl", "output": "out.jsonl"}
                self.write("routes.yaml", "routes:\n  bad:\n    exit_on_empty: true\n    allow_fault_injection: true\n"
                                          f"    {side}: {{file: {{path: {names[side]}, format: raw}}, middlewares: [random_panic: {{mode: panic}}]}}\n"
                                          f"    {other}: {{file: {{path: {names[other]}, format: raw}}}}\n"
                                          "  good:\n    exit_on_empty: true\n    input: {file: {path: in.jsonl, format: raw}}\n    output: {file: {path: fine.jsonl, format: raw}}\n")
                running = self.start("run", "routes.yaml")
                self.assertEqual(running.end(), 1, running.text)
                ledgers = running.ledgers()
                self.assertEqual((ledgers["bad"]["state"], ledgers["bad"]["delivered"]), ("failed", 0))
                self.assertEqual((ledgers["good"]["state"], ledgers["good"]["delivered"]), ("completed", 5))
                self.assertRegex(running.text, rf"{side}.middlewares\[0\]: random_panic: panic at (send|receive) 1")

    def test_a_disabled_one_needs_no_permission_and_does_nothing(self):
        self.write("routes.yaml", "r:\n  exit_on_empty: true\n  input: {file: {path: in.jsonl, format: raw}, middlewares: [random_panic: {enabled: false}]}\n"
                                  "  output: {file: {path: out.jsonl, format: raw}, middlewares: [random_panic: {mode: nack, enabled: false}]}\n")
        (self.folder / "in.jsonl").write_text("a\nb\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assertEqual((self.folder / "out.jsonl").read_text(), "a\nb\n")

    def test_without_permission_it_is_refused_with_its_place_also_inside_endpoints(self):
        self.write("routes.yaml", "r:\n  input:\n    file: {path: in.jsonl}\n    middlewares:\n      - random_panic:\n  output:\n    file: {path: out.jsonl}\n    middlewares:\n"
                                  "      - dlq:\n          endpoint:\n            file: {path: dead.jsonl}\n            middlewares:\n              - random_panic: {mode: nack}\n"
                                  "      - random_panic: {mode: earthquake}\n      - random_panic: {trigger_on_message: 0}\n")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        needs = 'injects faults, which needs "allow_fault_injection: true" in the route'
        lines = done.stderr.splitlines()
        self.assertIn(f"routes.yaml:5:9: r.input.middlewares[0].random_panic: {needs}", lines)
        self.assertIn(f"routes.yaml:13:17: r.output.middlewares[0].dlq.endpoint.middlewares[0].random_panic: {needs}", lines)
        self.assertEqual(len(lines), 4)


if __name__ == "__main__":
    bridge.main()
