"""C109: SIGTERM with an output that never answers, with a second signal, during start-up, and with nothing in flight."""
import json
import signal
import time

import bridge

MESSAGES = 50
ROUTE = """
flow:
  shutdown_timeout_ms: 1000
  input: {scripted: {script: requests.json, log: consumer.log}}
  output: {scripted: {script: answers.json, log: publisher.log}}
"""
BLACK_HOLE = [{"answer": "never"}] * MESSAGES


class Shutdown(bridge.Case):
    def start_with(self, answers, requests=MESSAGES, routes=ROUTE):
        self.write("requests.json", json.dumps([{"payload": f"message {i}"} for i in range(requests)]))
        self.write("answers.json", json.dumps(answers))
        for log in ("consumer.log", "publisher.log"):
            (self.folder / log).unlink(missing_ok=True)
        self.write("routes.yaml", routes)
        return self.start("run", "routes.yaml")

    def was_sent(self):
        return self.count_in("publisher.log", "send message") > 0

    def holds_all_it_may(self):
        """One message at a time is asked for: eight are sent, one is read ahead."""
        return self.count_in("publisher.log", "send message") == 8 and self.count_in("consumer.log", " request ") == 9

    def count_in(self, log, text):
        log = self.folder / log
        return log.read_text().count(text) if log.exists() else 0

    def end_after(self, running, number):
        """The seconds from the signal to the end, and the exit code."""
        began = time.monotonic()
        running.process.send_signal(number)
        code = running.end()
        return time.monotonic() - began, code

    def test_an_output_that_never_answers_ends_within_the_limit_and_says_what_was_not_delivered(self):
        running = self.start_with(BLACK_HOLE)
        self.until(self.holds_all_it_may)
        seconds, code = self.end_after(running, signal.SIGTERM)
        self.assertLess(seconds, 1 + 2, running.text)
        self.assertEqual(code, 1, running.text)
        ledger = running.ledgers()["flow"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["returned"]), (9, 0, 9), ledger)
        log = (self.folder / "consumer.log").read_text()
        self.assertEqual(log.count(" request "), 9, log)
        self.assertNotRegex(log, r" (ack|reply|settle)")

    def test_a_second_signal_ends_it_at_once(self):
        best = 60.0
        for _ in range(3):
            running = self.start_with(BLACK_HOLE, routes=ROUTE.replace("1000", "50000"))
            self.until(self.was_sent)
            began = time.monotonic()
            code = running.signal_until_end(signal.SIGTERM)
            seconds = time.monotonic() - began
            self.assertEqual(code, 1, running.text)
            self.assertIn("second signal: leaving at once", running.text)
            self.assert_exact(running.ledgers()["flow"])
            self.assertGreaterEqual(seconds, 0.1)
            best = min(best, seconds)
        self.assertLess(best, 0.5)

    def test_signals_that_come_together_are_one_and_a_hangup_is_never_the_first_of_two(self):
        for numbers in ((signal.SIGHUP, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT, signal.SIGHUP), (signal.SIGINT, signal.SIGTERM)):
            with self.subTest(numbers):
                running = self.start_with(BLACK_HOLE)
                self.until(self.holds_all_it_may)
                began = time.monotonic()
                for number in numbers:
                    running.process.send_signal(number)
                code = running.end()
                self.assertGreaterEqual(time.monotonic() - began, 0.5)
                self.assertEqual(code, 1, running.text)
                self.assertNotIn("second signal", running.text)
                self.assertEqual(running.ledgers()["flow"]["returned"], 9)
        running = self.start_with(BLACK_HOLE, routes=ROUTE.replace("1000", "50000"))
        self.until(self.was_sent)
        running.process.send_signal(signal.SIGHUP)
        running.wait_for("SIGHUP: stopping")
        running.process.send_signal(signal.SIGTERM)
        running.wait_for("SIGTERM: stopping already; one more leaves at once")
        self.assertEqual(running.signal_until_end(signal.SIGTERM), 1)
        self.assertIn("second signal: leaving at once", running.text)

    def test_during_the_start(self):
        best = 60.0
        for _ in range(3):
            # The input is never there.
            running = self.start_with([], routes=ROUTE.replace("{script: requests.json", "{script: nowhere.json"))
            running.wait_for("nowhere.json")
            seconds, code = self.end_after(running, signal.SIGTERM)
            self.assertIn(code, (0, 1), running.text)
            best = min(best, seconds)
        self.assertLess(best, 1 + 2)

    def test_nothing_in_flight(self):
        best = 60.0
        for _ in range(3):
            self.write("in.txt", "one\n")
            self.write("routes.yaml", "flow: {input: {file: {path: in.txt, format: raw}}, output: {file: {path: /dev/stdout, format: raw}}}")
            running = self.start("run", "routes.yaml")
            self.assertTrue(running.wait_until(lambda: running.output_size == 4), running.text)
            seconds, code = self.end_after(running, signal.SIGTERM)
            self.assertEqual(code, 0, running.text)
            best = min(best, seconds)
        self.assertLess(best, 1)


if __name__ == "__main__":
    bridge.main()
