"""Failures of every class at every call, with retry and dlq in between, one message at a time and eight workers: nothing is missing."""
import json
import os

import bridge
import shape_broker

LONG = bool(os.environ.get("MQB_LONG"))
COUNT = 200_000 if LONG else 2_000
ORDERED_COUNT = COUNT // 10  # one message at a time
CHANCE = 0.005 if LONG else 0.02
if LONG:
    bridge.PATIENCE = 1800
SINKS = ("plain", "pipelined", "ordered", "idempotent")
FAULTS = (("in", "connect", ("retry", "disconnected")),
          ("in", "receive", ("retry", "disconnected", "lost")),
          ("in", "settle", ("retry", "gone", "disconnected", "lost")),
          ("out", "connect", ("retry", "disconnected")),
          ("out", "send", ("retry", "uncertain", "rejected", "disconnected", "lost")))


class Storm(shape_broker.Case):
    def storm_route(self, source, sink, number, concurrency, ordered):
        options = f"  concurrency: {concurrency}\n" + ("  require: [ordered]\n" if ordered else "")
        text = self.route(source, sink, number, 50).replace("  exit_on_empty", options + "  exit_on_empty", 1)
        dead = (f"{{shape: {{socket: {self.broker.path}, queue: dead-{number}, shape: pipelined, lanes: {shape_broker.LANES}}}}}" if number % 2
                else f"{{file: {{path: dead-{number}.jsonl, format: normal}}}}")
        chain = f"middlewares: [retry: {{max_attempts: 3, initial_interval_ms: 1, max_interval_ms: 4}}, dlq: {{endpoint: {dead}}}]"
        head, output = text.rsplit("  output: {", 1)
        return f"{head}  output: {{{chain}, {output}"

    def dead(self, number):
        if number % 2:
            return self.broker.arrived(f"dead-{number}")
        try:
            lines = (self.folder / f"dead-{number}.jsonl").read_text().splitlines()
        except FileNotFoundError:
            lines = []
        return [tuple(map(int, json.loads(text)["payload"].split(":"))) for text in lines]

    def assert_lanes_in_order_but_for(self, dead, arrived):
        """First arrivals, lane by lane, where those that are dead may be left out."""
        next_one = [0] * shape_broker.LANES
        for lane, number in arrived:
            while number > next_one[lane] and (lane, next_one[lane]) in dead:
                next_one[lane] += 1
            self.assertLessEqual(number, next_one[lane], f"lane {lane}")
            next_one[lane] = max(next_one[lane], number + 1)

    def run_storm(self, pairs, concurrency, ordered=False):
        self.start_broker()
        count = ORDERED_COUNT if ordered else COUNT
        for number in range(len(pairs)):
            self.broker.tell(f"fill in-{number} {count} {shape_broker.LANES}")
            for side, operation, faults in FAULTS:
                self.broker.tell(f"seed {side}-{number} {number + 1}")
                for fault in faults:
                    self.broker.tell(f"chance {side}-{number} {operation} {fault} {CHANCE}")
        self.write("routes.yaml", "".join(self.storm_route(*pair, number, concurrency, ordered) for number, pair in enumerate(pairs)))
        running = self.start("run", "routes.yaml")
        self.assertIn(running.end(), (0, 1), running.text)  # 1 where something was left to be delivered again
        totals = {"faults": 0, "dead": 0, "repeated": 0}
        for number, pair in enumerate(pairs):
            with self.subTest(pair=pair):
                ledger = running.ledgers()["%s_to_%s" % pair]
                self.assert_exact(ledger)
                self.assertEqual((ledger["state"], ledger["in_flight"]), ("completed", 0), ledger)
                self.assert_source_is_empty(number, count)
                arrived, dead = self.broker.arrived(f"out-{number}"), self.dead(number)
                wanted = {(i % shape_broker.LANES, i // shape_broker.LANES) for i in range(count)}
                self.assertEqual(wanted - set(arrived) - set(dead), set())
                self.assertEqual(set(arrived) | set(dead), wanted)
                self.assertGreaterEqual(len(dead), ledger["dead_lettered"])
                if ordered:
                    self.assert_lanes_in_order_but_for(set(dead), arrived)
                totals["faults"] += self.broker.summary(f"in-{number}")["faults"] + self.broker.summary(f"out-{number}")["faults"]
                totals["dead"] += len(set(dead))
                totals["repeated"] += len(arrived) + len(dead) - count
        self.assertGreater(totals["dead"], 0)
        print(f"concurrency {concurrency}{', ordered' * ordered}: {len(pairs)} routes of {count} messages: 0 missing, {totals['faults']} faults, "
              f"{totals['dead']} dead letters, {totals['repeated']} arrived again")

    def storm_over(self, concurrency):
        pairs = [(source, sink) for source in shape_broker.INPUTS for sink in SINKS]
        self.run_storm(pairs, concurrency)

    def test_one_worker(self):
        self.storm_over(1)

    def test_eight_workers(self):
        self.storm_over(8)

    def test_order_that_is_required_is_kept(self):
        self.run_storm([(source, sink) for source in shape_broker.INPUTS for sink in shape_broker.ORDERED], 1, ordered=True)


if __name__ == "__main__":
    bridge.main()
