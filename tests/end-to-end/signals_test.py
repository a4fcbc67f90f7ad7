"""SIGTERM and SIGINT during a run: what was read is finished, and the ledger is exact."""
import json
import os
import signal
import subprocess

import bridge

ENDLESS = """
flow:
  input: {static: {body: "one line"}}
  output: {file: {path: /dev/stdout, format: raw}}
"""


class Signals(bridge.Case):
    def stop_in_the_middle(self, number):
        self.write("routes.yaml", ENDLESS)
        running = self.start("run", "routes.yaml")
        lines = [0]

        def count(data):
            lines[0] += data.count(b"\n")

        running.on_output = count
        self.assertTrue(running.wait_until(lambda: running.output_size > 1 << 20), running.text)
        running.process.send_signal(number)
        code = running.end()
        ledger = running.ledgers()["flow"]
        self.assert_exact(ledger)
        self.assertEqual(ledger["state"], "stopped", running.text)
        self.assertEqual(ledger["delivered"], lines[0])
        self.assertEqual(ledger["in_flight"], 0)
        self.assertEqual(code, 1 if ledger["returned"] else 0, running.text)

    def test_sigterm(self):
        self.stop_in_the_middle(signal.SIGTERM)

    def test_sigint(self):
        self.stop_in_the_middle(signal.SIGINT)

    def test_a_route_that_waits_stops_at_once(self):
        self.write("in.jsonl", "one\n")
        self.write("routes.yaml", "idle: {input: {file: {path: in.jsonl, format: raw}}, output: {file: {path: /dev/stdout, format: raw}}}")
        running = self.start("run", "routes.yaml")
        self.assertTrue(running.wait_until(lambda: running.output_size == 4), running.text)
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["idle"], 1, "stopped")

    def test_a_standard_error_that_nobody_reads_holds_nothing_up(self):
        """Full before the first line: the route runs, and a signal ends it."""
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        os.set_blocking(writing, False)
        try:
            while True:
                os.write(writing, b"x" * 4096)
        except BlockingIOError:
            pass
        os.set_blocking(writing, True)
        self.write("routes.yaml", ENDLESS.replace("/dev/stdout", "out.txt"))
        process = subprocess.Popen([bridge.BINARY, "run", "routes.yaml", "--log-level", "debug", "--summary", "summary.json"], cwd=self.folder,
                                   env=bridge.environment(), stdin=subprocess.DEVNULL, stderr=writing)
        os.close(writing)
        self.addCleanup(process.kill)
        out = self.folder / "out.txt"
        self.until(lambda: out.exists() and out.stat().st_size > 1 << 20)
        process.send_signal(signal.SIGTERM)
        self.assertIn(process.wait(timeout=bridge.PATIENCE), (0, 1))
        self.assert_exact(json.loads((self.folder / "summary.json").read_text())["routes"]["flow"])


if __name__ == "__main__":
    bridge.main()
