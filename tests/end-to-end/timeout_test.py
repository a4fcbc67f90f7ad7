"""timeout in routes: sends that are never answered, or late, with and without a retry, and what is said of wrong settings."""
import json

import bridge

ROUTE = """
r:
  exit_on_empty: true
  input: {scripted: {script: requests.json, log: consumer.log}}
  output:
    scripted: {script: answers.json, log: publisher.log}
    middlewares: [%s]
"""


class Timeout(bridge.Case):
    def run_script(self, answers, middlewares, requests=2, code=0):
        self.write("requests.json", json.dumps([{"payload": f"m{i}"} for i in range(requests)]))
        self.write("answers.json", json.dumps(answers))
        self.write("routes.yaml", ROUTE % middlewares)
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        ledger = running.ledgers()["r"]
        self.assert_exact(ledger)
        return running, ledger

    def sent(self):
        lines = (line.split(" ", 1)[1] for line in (self.folder / "publisher.log").read_text().splitlines())
        return [what.removeprefix("send ") for what in lines if what.startswith("send ")]

    def test_a_send_that_is_never_answered_is_sent_again_by_retry(self):
        _, ledger = self.run_script([{"answer": "never"}], "{timeout: {timeout_ms: 100}}, {retry: {initial_interval_ms: 1}}")
        self.assertEqual(ledger["delivered"], 2)
        self.assertEqual(sorted(self.sent()), ["m0", "m0", "m1"])

    def test_without_retry_it_comes_again_from_the_source(self):
        running, ledger = self.run_script([{"answer": "never"}], "{timeout: {timeout_ms: 100}}")
        self.assertEqual(ledger["delivered"], 2)
        self.assertEqual(self.sent().count("m0"), 2)
        self.assertIn("timeout: no answer within 100 ms; it may have arrived", running.text)

    def test_when_retry_gives_up_the_dlq_has_it_with_the_reason(self):
        _, ledger = self.run_script([{"answer": "never"}] * 9, "{timeout: {timeout_ms: 30}}, {retry: {max_attempts: 2, initial_interval_ms: 1}}, "
                                    "{dlq: {endpoint: {file: {path: dead.jsonl, format: normal}}}}", requests=1)
        self.assertEqual((ledger["delivered"], ledger["dead_lettered"]), (0, 1))
        letter = json.loads((self.folder / "dead.jsonl").read_text())
        self.assertEqual(letter["metadata"]["mq_bridge.dlq.error"],
                         "retryable error: Retries exhausted after 2 attempts: timeout: no answer within 30 ms; it may have arrived")
        self.assertEqual(self.sent(), ["m0", "m0"])

    def test_a_late_answer_is_told_and_changes_nothing(self):
        running, ledger = self.run_script([{"delay_ms": 400}], "{timeout: {timeout_ms: 50}}, {retry: {initial_interval_ms: 1}}", requests=1)
        self.assertEqual((ledger["received"], ledger["delivered"]), (1, 1))
        self.assertIn("timeout: a send was answered after it had been given up on", running.text)

    def test_wrong_places_and_settings(self):
        for side, what, said in [("input", "timeout: {timeout_ms: 1}", '7:9: r.input.middlewares[0].timeout: "timeout" cannot stand at an input: it is for outputs'),
                                 ("output", "timeout: {timeout_ms: 0}", "7:31: r.output.middlewares[0].timeout.timeout_ms: has to be at least 1"),
                                 ("output", "timeout: {}", "7:9: r.output.middlewares[0].timeout.timeout_ms: missing")]:
            with self.subTest(what):
                other = "output" if side == "input" else "input"
                self.write("routes.yaml", f"r:\n  {other}:\n    file: {{path: a.txt}}\n  {side}:\n    file: {{path: b.txt}}\n    middlewares:\n      - {what}\n")
                done = self.bridge("check", "routes.yaml")
                self.assertEqual((done.returncode, done.stderr), (2, f"routes.yaml:{said}\n"))

    def test_the_order_is_not_promised_behind_it(self):
        self.write("routes.yaml", "r:\n  require: [ordered]\n  input: {file: {path: a.txt}}\n  output: {file: {path: b.txt}, middlewares: [timeout: {timeout_ms: 5}]}\n")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("routes.yaml:2:13: r.require: asks for ordered, but the route is not: output.middlewares[0].timeout does not keep the order", done.stderr)


if __name__ == "__main__":
    bridge.main()
