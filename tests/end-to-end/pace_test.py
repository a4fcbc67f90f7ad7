"""limiter and delay in routes: how long it takes, that a stop does not wait and loses nothing, and what is said of wrong settings."""
import json
import signal
import time

import bridge


class Pace(bridge.Case):
    def route(self, input="", output="", more="  exit_on_empty: true\n", lines=12):
        (self.folder / "in.jsonl").write_text("".join(f'{{"n":{i}}}\n' for i in range(lines)))
        self.write("routes.yaml", f"r:\n{more}  input: {{file: {{path: in.jsonl, format: raw}}, middlewares: [{input}]}}\n"
                                  f"  output: {{file: {{path: out.jsonl, format: raw}}, middlewares: [{output}]}}\n")

    def out(self):
        path = self.folder / "out.jsonl"
        return path.read_text().splitlines() if path.exists() else []

    def seconds(self, code=0):
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        ledger = running.ledgers()["r"]
        self.assertEqual(ledger["received"], sum(ledger[name] for name in bridge.COUNTERS), ledger)
        self.assertEqual(ledger["delivered"], 12)
        self.assertEqual(self.out(), [f'{{"n":{i}}}' for i in range(12)])
        return ledger["seconds"]

    def is_in_the_wait(self, reads):
        done = self.bridge("status", "--json")
        route = json.loads(done.stdout)["routes"]["r"] if done.returncode == 0 else {}
        return route.get("state") == "running" and (route["in_flight"] == 12 or not reads)

    def test_a_limit_takes_its_time_on_both_sides_whatever_the_batches_are(self):
        for side in ("input", "output"):
            for batch in (1, 5, 512):
                with self.subTest(side=side, batch=batch):
                    (self.folder / "out.jsonl").unlink(missing_ok=True)
                    self.route(**{side: "limiter: {messages_per_second: 30}"}, more=f"  exit_on_empty: true\n  batch_size: {batch}\n")
                    self.assertGreaterEqual(self.seconds(), 12 / 30)

    def test_a_delay_comes_before_each_call(self):
        for side in ("input", "output"):
            with self.subTest(side):
                (self.folder / "out.jsonl").unlink(missing_ok=True)
                self.route(**{side: "delay: {delay_ms: 40}"}, more="  exit_on_empty: true\n  batch_size: 3\n")
                self.assertGreaterEqual(self.seconds(), 4 * 0.04)

    def test_workers_have_one_limit(self):
        self.route(output="limiter: {messages_per_second: 30}", more="  exit_on_empty: true\n  batch_size: 1\n  concurrency: 4\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assertGreaterEqual(running.ledgers()["r"]["seconds"], 12 / 30)
        self.assertEqual(sorted(self.out()), sorted(f'{{"n":{i}}}' for i in range(12)))

    def test_a_stop_does_not_wait_and_what_was_read_arrives(self):
        for side in ("input", "output"):
            for kind in ("limiter: {messages_per_second: 0.001}", "delay: {delay_ms: 3600000}"):
                with self.subTest(side=side, kind=kind):
                    (self.folder / "out.jsonl").unlink(missing_ok=True)
                    self.route(**{side: kind}, more="")
                    running = self.start("run", "routes.yaml")
                    self.until(lambda: self.is_in_the_wait(reads=(side, kind[:5]) != ("input", "delay")))
                    begin = time.monotonic()
                    running.process.send_signal(signal.SIGTERM)
                    self.assertEqual(running.end(), 0, running.text)
                    self.assertLess(time.monotonic() - begin, 30)
                    ledger = running.ledgers()["r"]
                    self.assertEqual(ledger["received"], ledger["delivered"])
                    self.assertEqual(len(self.out()), ledger["delivered"])

    def test_wrong_settings_are_named_with_their_place(self):
        for what, said in [("limiter: {messages_per_second: 0}", "40: r.output.middlewares[0].limiter.messages_per_second: has to be at least 1e-09"),
                           ("limiter: {}", "9: r.output.middlewares[0].limiter.messages_per_second: missing"),
                           ("limiter: {messages_per_second: .inf}", None),
                           ("limiter: {messages_per_second: many}", "40: r.output.middlewares[0].limiter.messages_per_second: \"many\" where number is wanted"),
                           ("delay: {delay_ms: -1}", "27: r.output.middlewares[0].delay.delay_ms: has to be at least 0"),
                           ("delay: {delay: 1}", "17: r.output.middlewares[0].delay.delay: unknown key; known are delay_ms")]:
            with self.subTest(what):
                self.write("routes.yaml", f"r:\n  input: {{file: {{path: in.jsonl}}}}\n  output:\n    file: {{path: out.jsonl}}\n    middlewares:\n      - {what}\n")
                done = self.bridge("check", "routes.yaml")
                self.assertEqual(done.returncode, 2)
                if said:
                    self.assertIn("routes.yaml:6:" + said, done.stderr)
                else:
                    self.assertRegex(done.stderr, r"routes.yaml:6:\d+: r.output.middlewares\[0\].limiter")


if __name__ == "__main__":
    bridge.main()
