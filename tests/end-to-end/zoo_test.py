"""A plugin that throws, blocks or completes twice takes down its own route only: the ledger of the other one is exact."""
import csv
import pathlib
import re
import signal

import bridge

ROWS = 2000
# How the animal is used: the route `bad` reads from it, writes to it, or reads what the route `fill` has written to it.
READING = "bad: {shutdown_timeout_ms: 300, input: {zoo: {topic: t}}, output: null}\n"
WRITING = "bad: {shutdown_timeout_ms: 300, input: {file: {path: in.jsonl, format: raw}}, output: {zoo: {topic: t}}}\n"
# One message at a time: where some faults need a receive that waits, and others one that does not, there is one of each.
SETTLING = READING.replace("300,", "300, batch_size: 1,") + "fill: {exit_on_empty: true, input: {file: {path: in.jsonl, format: raw}}, output: {zoo: {topic: t}}}\n"
BATCHES = SETTLING.replace("zoo:", "zoo_batch:").replace("batch_size: 1, ", "")  # a batch of one has no parts
PASSING = READING.replace("input: {zoo: {topic: t}}", "input: {zoo: {topic: t}, middlewares: [{zoo_pass: {}}]}")
ANIMALS = {
    "throws_error_in_promises": READING, "throws_int_in_promises": READING,
    "throws_error_in_create": READING, "throws_int_in_create": READING, "throws_error_in_connect": READING, "throws_error_in_receive": READING,
    "throws_int_in_receive": READING, "throws_error_in_send": WRITING, "throws_int_in_send": WRITING, "throws_error_in_settle": SETTLING,
    "throws_error_in_free": READING, "hangs_in_connect": READING, "hangs_in_receive": READING, "hangs_in_send": WRITING,
    "hangs_in_settle": SETTLING, "hangs_in_free_batch": SETTLING, "unknown_status": SETTLING, "completes_twice": SETTLING,
    "done_and_completes": SETTLING, "send_done_and_completes": WRITING, "completes_inside_start": SETTLING, "makes_nothing": READING,
    "null_with_size": SETTLING, "absurd_payload": SETTLING, "settle_completes_twice": SETTLING, "batch_of_mixed_outcomes": BATCHES,
    "explains_in_latin": READING, "floods_states": READING, "floods_lanes": READING, "too_many_lanes": READING,
    "middleware_receives_twice": PASSING,
}
# Shows itself only where a receive waited: at the latest the one that the signal cancels.
AFTER_THE_SIGNAL = {"completes_twice"}


def host_says():
    """What zoo.tsv expects of the host, by fault."""
    with open(pathlib.Path(__file__).parent.parent / "bad-plugins" / "zoo.tsv", encoding="utf-8") as file:
        lines = csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE)
        return {line["fault"]: line["host"] for line in lines}


class Zoo(bridge.Case):
    def setUp(self):
        super().setUp()
        if not (bridge.ZOO / "libmqb_bad_none.so").exists():
            self.skipTest("the zoo is not built")
        self.write("in.jsonl", "".join(f'{{"n":{i}}}\n' for i in range(ROWS)))

    def start_beside(self, fault, routes, *options):
        (self.folder / "out.jsonl").unlink(missing_ok=True)
        self.write("routes.yaml", routes + "good: {exit_on_empty: true, input: {file: {path: in.jsonl, format: raw}}, output: {file: {path: out.jsonl, format: raw}}}\n")
        running = self.start("run", "routes.yaml", "--plugin", bridge.ZOO / f"libmqb_bad_{fault}.so", *options)
        self.assertTrue(running.wait_for(r" good: completed"), running.text)
        return running

    def assert_good(self, running, code, codes):
        self.assertIn(code, codes, running.text)
        ledgers = running.ledgers()
        self.assert_delivered(ledgers["good"], ROWS)
        self.assertEqual((self.folder / "out.jsonl").read_bytes(), (self.folder / "in.jsonl").read_bytes())
        for ledger in ledgers.values():
            self.assert_exact(ledger)
        return ledgers

    def test_C113_each_animal_beside_a_good_route(self):
        expected = host_says()
        for fault, routes in ANIMALS.items():
            with self.subTest(fault):
                running = self.start_beside(fault, routes)
                says = expected[fault]
                if says != "-" and not fault.endswith("_in_free") and fault not in AFTER_THE_SIGNAL:
                    running.wait_for(f"(?i){says}")
                if running.process.poll() is None:
                    running.process.send_signal(signal.SIGTERM)
                code = running.end()
                ledgers = self.assert_good(running, code, (0, 1))
                if says != "-":
                    self.assertRegex(running.text, f"(?i){says}")
                if fault.startswith(("throws", "hangs", "makes")) and not fault.endswith("_in_free"):
                    self.assertEqual(code, 1, running.text)
                if fault.startswith("hangs"):
                    self.assertEqual(ledgers["bad"]["state"], "failed", running.text)
                    self.assertTrue(re.search(says, ledgers["bad"]["cause"]), ledgers["bad"])

    def test_a_plugin_that_ends_the_process_is_named_and_is_no_success(self):
        for fault in ("exits_in_receive", "exits_in_send"):
            with self.subTest(fault):
                self.write("routes.yaml", READING if fault.endswith("receive") else WRITING)
                running = self.start("run", "routes.yaml", "--plugin", bridge.ZOO / f"libmqb_bad_{fault}.so")
                code = running.end()
                self.assertEqual(code, 1, running.text)
                self.assertRegex(running.text, rf"zoo\.{fault.rpartition('_')[2]} called exit\(\) \(route bad\)")

    def test_a_drain_gives_up_a_route_that_is_stuck_when_the_others_have_ended(self):
        running = self.start_beside("hangs_in_receive", READING, "--drain")
        code = running.end()
        ledgers = self.assert_good(running, code, (1,))
        self.assertEqual(ledgers["bad"]["state"], "failed")
        self.assertIn("blocked in", ledgers["bad"]["cause"])

    def test_a_worker_that_hangs_in_a_middleware_does_not_keep_the_process(self):
        hanging = "{file: {path: bad.jsonl, format: raw}, middlewares: [{zoo_pass: {}}]}"
        for concurrency in (1, 2):
            with self.subTest(concurrency=concurrency):
                routes = WRITING.replace("{zoo: {topic: t}}", hanging).replace("300,", f"300, concurrency: {concurrency},")
                running = self.start_beside("middleware_hangs_in_send", routes)
                running.wait_for(r"blocked in zoo\.send")
                running.process.send_signal(signal.SIGTERM)
                code = running.end()
                ledgers = self.assert_good(running, code, (1,))
                self.assertEqual((ledgers["bad"]["state"], ledgers["bad"]["delivered"]), ("failed", 0))

    def test_a_second_signal_ends_it_at_once(self):
        running = self.start_beside("hangs_in_receive", READING.replace("300", "50000"))
        running.wait_for("blocked in")
        code = running.signal_until_end(signal.SIGTERM)
        self.assert_good(running, code, (1,))
        self.assertIn("second signal", running.text)


if __name__ == "__main__":
    bridge.main()
