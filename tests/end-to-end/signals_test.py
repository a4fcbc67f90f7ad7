"""Signals during a run; where it ends in order: what was read is finished, and the ledger is exact."""
import json
import os
import resource
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

    def test_sighup(self):
        self.stop_in_the_middle(signal.SIGHUP)

    def test_more_hangups_are_no_second_signal(self):
        """Shell and terminal both send one; behind a SIGTERM, too."""
        for numbers in ([signal.SIGHUP] * 3, [signal.SIGTERM, signal.SIGHUP]):
            with self.subTest(numbers):
                self.write("routes.yaml", ENDLESS)
                running = self.start("run", "routes.yaml")
                self.assertTrue(running.wait_until(lambda: running.output_size > 1 << 16), running.text)
                for number in numbers:
                    running.process.send_signal(number)
                    running.wait_for("SIG(TERM|HUP): stopping")
                running.end()
                self.assertEqual(running.ledgers()["flow"]["state"], "stopped", running.text)
                self.assertNotIn("second signal", running.text)

    def waiting(self, **how):
        """A host whose route waits behind its first message."""
        self.write("in.jsonl", "one\n")
        self.write("routes.yaml", "idle: {input: {file: {path: in.jsonl, format: raw}}, output: {file: {path: /dev/stdout, format: raw}}}")
        before = {number: signal.signal(number, signal.SIG_IGN) for number in how.get("ignored", ())}
        try:
            running = self.start("run", "routes.yaml")
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        self.assertTrue(running.wait_until(lambda: running.output_size >= 4), running.text)
        return running

    def test_user_signals_and_a_hangup_under_nohup_change_nothing(self):
        running = self.waiting(ignored=[signal.SIGHUP])
        for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
            running.process.send_signal(number)
        with open(self.folder / "in.jsonl", "a") as more:
            more.write("two\n")
        self.assertTrue(running.wait_until(lambda: running.output_size == 8), running.text)
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)
        self.assertNotIn("SIGHUP", running.text)
        self.assert_delivered(running.ledgers()["idle"], 2, "stopped")

    def test_a_file_at_its_limit_is_tried_again(self):
        """SIGXFSZ does not end the host; what was taken back goes on when there is room."""
        self.write("in.jsonl", "".join(f"{i:0999}\n" for i in range(100)))
        self.write("routes.yaml", """
flow: {input: {file: {path: in.jsonl, format: raw}}, output: {file: {path: out.jsonl, format: raw}}}
""")
        own = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, own[1]))
        try:
            running = self.start("run", "routes.yaml")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, own)
        self.assertTrue(running.wait_for("File too large"), running.text)
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, own)
        self.until(lambda: (self.folder / "out.jsonl").stat().st_size == 100_000)
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["flow"], 100, "stopped")
        self.assertEqual((self.folder / "out.jsonl").read_text(), (self.folder / "in.jsonl").read_text())

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
