"""kill -9 of the host while it moves messages between queues of another process, for each shape of a source and of a sink."""
import os
import random
import signal
import time

import bridge
import shape_broker

LONG = bool(os.environ.get("MQB_LONG"))
KILLS = 20 if LONG else 4
PER_KILL = 500
SINKS = ("plain", "pipelined", "ordered", "idempotent")


class KillShapes(shape_broker.Case):
    def acknowledged(self, numbers):
        return [self.broker.summary(f"in-{number}")["acknowledged"] for number in numbers]

    def kill_at(self, running, numbers, wanted):
        """Kills the host as soon as so many messages in all are acknowledged."""
        until = time.monotonic() + bridge.PATIENCE
        while sum(self.acknowledged(numbers)) < wanted:
            self.assertLess(time.monotonic(), until, running.text)
            self.assertIsNone(running.process.poll(), running.text)
        running.process.send_signal(signal.SIGKILL)
        self.assertEqual(running.end(), -signal.SIGKILL, running.text)

    def test_each_source_with_each_sink(self):
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        chance = random.Random(seed)
        self.start_broker()
        pairs = [(source, sink) for source in shape_broker.INPUTS for sink in SINKS]
        numbers = range(len(pairs))
        count = PER_KILL * (KILLS + 1)
        for number in numbers:
            self.broker.tell(f"fill in-{number} {count} {shape_broker.LANES}")
            self.broker.tell(f"delay out-{number} 2")
        self.write("routes.yaml", "".join(self.route(*pair, number, 20) for number, pair in enumerate(pairs)))
        for _ in range(KILLS):
            done = sum(self.acknowledged(numbers))
            self.kill_at(self.start("run", "routes.yaml"), numbers, done + chance.randrange(len(pairs) * PER_KILL))
        before = self.acknowledged(numbers)
        self.assertLess(sum(before), len(pairs) * count)

        for number in numbers:
            self.broker.tell(f"delay out-{number} 0")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        ledgers = running.ledgers()
        repeated = dropped = 0
        for number, pair in enumerate(pairs):
            with self.subTest(pair=pair):
                ledger = ledgers["%s_to_%s" % pair]
                self.assert_exact(ledger)
                self.assertEqual((ledger["state"], ledger["in_flight"], ledger["received"]), ("completed", 0, count - before[number]), ledger)
                at_source = self.assert_source_is_empty(number, count)
                arrived = self.assert_nothing_missing(number, count)
                # What came again is what the host had when it was killed, and it came again once for each time.
                self.assertLessEqual(len(arrived) - count, at_source["dropped"])
                self.assertEqual(at_source["redeliveries"], at_source["dropped"])
                if pair[1] == "idempotent":
                    self.assertEqual(len(arrived), count)
                if pair[1] in shape_broker.ORDERED:
                    self.assert_lanes_in_order(arrived)
                repeated += len(arrived) - count
                dropped += at_source["dropped"]
        print(f"{KILLS} kills, {len(pairs)} routes of {count} messages: 0 missing, {dropped} were under way at a kill, {repeated} arrived again")


if __name__ == "__main__":
    bridge.main()
