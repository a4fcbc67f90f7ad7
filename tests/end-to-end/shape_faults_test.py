"""Revoked lanes, failures of every class at every call, and a killed host: nothing is missing, order holds where it is promised."""
import os
import signal
import time

import bridge
import shape_broker

LONG = bool(os.environ.get("MQB_LONG"))
SINKS = ("plain", "pipelined", "ordered", "idempotent")


class ShapeFaults(shape_broker.Case):
    def run_all(self, pairs, batch_size=100):
        self.write("routes.yaml", "".join(self.route(*pair, number, batch_size) for number, pair in enumerate(pairs)))
        running = self.start("run", "routes.yaml")
        code = running.end()
        return running, code, {pair: running.ledgers()["%s_to_%s" % pair] for pair in pairs}

    def assert_complete(self, ledger, number, count, pair):
        """Everything is settled once at the source and has arrived; what was delivered again is what came back without being settled."""
        self.assert_exact(ledger)
        self.assertEqual((ledger["state"], ledger["in_flight"]), ("completed", 0), ledger)
        at_source = self.assert_source_is_empty(number, count)
        arrived = self.assert_nothing_missing(number, count)
        if pair[1] == "idempotent":
            self.assertEqual(len(arrived), count)
        return at_source, arrived

    def test_lanes_are_revoked_at_random_moments(self):
        self.start_broker()
        count = 20000 if LONG else 4000
        pairs = [(source, sink) for source in ("prefix", "gated") for sink in SINKS]
        for number in range(len(pairs)):
            self.broker.tell(f"fill in-{number} {count} {shape_broker.LANES}")
            self.broker.tell(f"seed in-{number} {number + 1}")
            self.broker.tell(f"roam in-{number} 0.3 4")
            self.broker.tell(f"delay out-{number} 1")
        running, code, ledgers = self.run_all(pairs, 50)
        self.assertIn(code, (0, 1), running.text)
        for number, pair in enumerate(pairs):
            with self.subTest(pair=pair):
                at_source, arrived = self.assert_complete(ledgers[pair], number, count, pair)
                self.assertGreater(at_source["revocations"], 5)
                self.assertEqual(ledgers[pair]["received"], at_source["deliveries"])
                self.assertLessEqual(len(arrived) - count, at_source["redeliveries"])
                if pair[1] in shape_broker.ORDERED:
                    self.assert_lanes_in_order(arrived)

    def test_a_lane_keeps_its_order_when_messages_are_sent_again(self):
        self.start_broker()
        count = 20000 if LONG else 2000
        pairs = [(source, "ordered") for source in shape_broker.INPUTS]
        for number in range(len(pairs)):
            self.broker.tell(f"fill in-{number} {count} {shape_broker.LANES}")
            self.broker.tell(f"seed out-{number} {number + 1}")
            self.broker.tell(f"chance out-{number} send retry 0.05")
            self.broker.tell(f"chance out-{number} send uncertain 0.05")
        running, code, ledgers = self.run_all(pairs, 20)
        self.assertEqual(code, 0, running.text)
        for number, pair in enumerate(pairs):
            with self.subTest(pair=pair):
                at_source, arrived = self.assert_complete(ledgers[pair], number, count, pair)
                self.assertEqual((ledgers[pair]["received"], at_source["deliveries"]), (count, count))
                self.assertGreater(self.broker.summary(f"out-{number}")["faults"], 5)
                self.assert_lanes_in_order(arrived)

    def test_a_lane_keeps_its_order_when_connections_are_lost_too(self):
        """What is refused for now and what a lost connection leaves meet in one window of sends."""
        self.start_broker()
        routes, count = 20, 2000
        text = ""
        for number in range(routes):
            self.broker.tell(f"fill in-{number} {count} {shape_broker.LANES}")
            self.broker.tell(f"seed out-{number} {number + 1}")
            self.broker.tell(f"chance out-{number} send retry 0.1")
            self.broker.tell(f"chance out-{number} send disconnected 0.05")
            text += self.route("prefix", "ordered", number, 20).replace("prefix_to_ordered", f"r{number}")
        self.write("routes.yaml", text)
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        ledgers = running.ledgers()
        for number in range(routes):
            with self.subTest(route=number):
                at_source, arrived = self.assert_complete(ledgers[f"r{number}"], number, count, ("prefix", "ordered"))
                self.assertEqual(at_source["deliveries"], count)
                self.assertGreater(self.broker.summary(f"out-{number}")["faults"], 5)
                self.assert_lanes_in_order(arrived)

    def test_every_class_fails_at_every_call(self):
        self.start_broker()
        count = 200000 if LONG else 3000
        chance = 0.03
        pairs = [(source, sink) for source in shape_broker.INPUTS for sink in SINKS]
        for number in range(len(pairs)):
            self.broker.tell(f"fill in-{number} {count} {shape_broker.LANES}")
            for queue, operation, faults in (
                    (f"in-{number}", "connect", ("retry", "disconnected")),
                    (f"in-{number}", "receive", ("retry", "disconnected", "lost")),
                    (f"in-{number}", "settle", ("retry", "gone", "disconnected", "lost")),
                    (f"out-{number}", "connect", ("retry", "disconnected")),
                    (f"out-{number}", "send", ("retry", "uncertain", "disconnected", "lost"))):
                self.broker.tell(f"seed {queue} {number + 1}")
                for fault in faults:
                    self.broker.tell(f"chance {queue} {operation} {fault} {chance}")
        _, _, ledgers = self.run_all(pairs, 20)  # 1 where something was left to be delivered again
        for number, pair in enumerate(pairs):
            with self.subTest(pair=pair):
                at_source, _ = self.assert_complete(ledgers[pair], number, count, pair)
                self.assertGreater(at_source["faults"], 0)
                self.assertGreater(self.broker.summary(f"out-{number}")["faults"], 0)

    def test_the_host_is_killed_in_the_middle(self):
        self.start_broker()
        count = 4000
        pairs = [(source, sink) for source in ("message", "prefix", "batch") for sink in ("plain", "ordered")]
        for number in range(len(pairs)):
            self.broker.tell(f"fill in-{number} {count} {shape_broker.LANES}")
            self.broker.tell(f"delay out-{number} 2")
        self.write("routes.yaml", "".join(self.route(*pair, number, 20) for number, pair in enumerate(pairs)))
        running = self.start("run", "routes.yaml")
        self.wait_for_acknowledged([f"in-{number}" for number in range(len(pairs))], count // 4)
        running.process.send_signal(signal.SIGKILL)
        self.assertEqual(running.end(), -signal.SIGKILL)
        before = [self.broker.summary(f"in-{number}")["acknowledged"] for number in range(len(pairs))]
        self.assertTrue(any(n < count for n in before), "the host had finished before it was killed")
        for number in range(len(pairs)):
            self.broker.tell(f"delay out-{number} 0")

        running, code, ledgers = self.run_all(pairs, 20)
        self.assertEqual(code, 0, running.text)
        for number, pair in enumerate(pairs):
            with self.subTest(pair=pair):
                at_source, arrived = self.assert_complete(ledgers[pair], number, count, pair)
                self.assertEqual(ledgers[pair]["received"], count - before[number])
                # What came again is what the host had when it was killed.
                self.assertLessEqual(len(arrived) - count, at_source["dropped"])
                self.assertEqual(at_source["redeliveries"], at_source["dropped"])

    def wait_for_acknowledged(self, queues, count):
        until = time.monotonic() + bridge.PATIENCE
        for queue in queues:
            while self.broker.summary(queue)["acknowledged"] < count:
                self.assertLess(time.monotonic(), until, f"{queue} does not get on")


if __name__ == "__main__":
    bridge.main()
