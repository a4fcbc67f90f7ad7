"""Every awkward shape of a source with every shape of a sink, in one process: nothing missing, order kept, every counter exact."""
import bridge
import shape_broker

COUNT = 5000
SINKS = ("plain", "pipelined", "ordered", "idempotent")


class ShapeRoutes(shape_broker.Case):
    def test_each_source_with_each_sink(self):
        self.start_broker()
        pairs = [(source, sink) for source in shape_broker.INPUTS for sink in SINKS]
        text = ""
        for number, (source, sink) in enumerate(pairs):
            self.broker.tell(f"fill in-{number} {COUNT} {shape_broker.LANES}")
            text += self.route(source, sink, number, responds=self.responds(source, sink))
        self.write("routes.yaml", text)
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        ledgers = running.ledgers()
        self.assertEqual(len(ledgers), len(pairs))
        for number, (source, sink) in enumerate(pairs):
            with self.subTest(source=source, sink=sink):
                self.assert_pair(ledgers[f"{source}_to_{sink}"], number, source, sink)

    def branching_route(self, name, source, sinks, number, output):
        """From in-NUMBER to the queues out-NUMBER, out-NUMBER+1, …; `output` has a place %d for each of these."""
        ends = []
        for offset, sink in enumerate(sinks):
            text = self.route(source, sink, number + offset)
            ends.append(text[text.index("output: ") + len("output: "):].strip())
        text = self.route(source, sinks[0], number).replace(f"{source}_to_{sinks[0]}:", f"{name}:")
        return text[:text.index("  output: ")] + "  output: " + output % tuple(ends) + "\n"

    def test_each_source_with_a_fanout_and_a_switch_over_sinks_of_two_shapes(self):
        self.start_broker()
        sinks = ("pipelined", "ordered", "plain")
        text = ""
        for number, source in enumerate(shape_broker.INPUTS):
            for kind, output in (("fanout", "{fanout: [%s, {switch: {metadata_key: no_such, cases: {a: %s}, default: %s}}]}"),
                                 ("switch", "{switch: {metadata_key: no_such, cases: {a: %s, b: %s}, default: %s}}")):
                first = 10 * number + (5 if kind == "switch" else 0)
                self.broker.tell(f"fill in-{first} {COUNT} {shape_broker.LANES}")
                text += self.branching_route(f"{source}_{kind}", source, sinks, first, output)
        self.write("routes.yaml", text)
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        for number, source in enumerate(shape_broker.INPUTS):
            for kind in ("fanout", "switch"):
                with self.subTest(source=source, kind=kind):
                    first = 10 * number + (5 if kind == "switch" else 0)
                    self.assert_delivered(running.ledgers()[f"{source}_{kind}"], COUNT)
                    self.assert_source_is_empty(first, COUNT)
                    taking = (first, first + 2) if kind == "fanout" else (first + 2,)
                    for queue in range(first, first + 3):
                        arrived = self.assert_nothing_missing(queue, COUNT if queue in taking else 0)
                        self.assertEqual(len(arrived), COUNT if queue in taking else 0)
                    if source != "lease":
                        self.assert_lanes_in_order(self.broker.arrived(f"out-{first + 2}"))

    def responds(self, source, sink):
        return source == "replying" and sink != "plain"

    def assert_pair(self, ledger, number, source, sink):
        self.assert_exact(ledger)
        settled_as = "replied" if self.responds(source, sink) else "delivered"
        self.assertEqual((ledger["state"], ledger["received"], ledger[settled_as]), ("completed", COUNT, COUNT), ledger)
        at_source = self.assert_source_is_empty(number, COUNT)
        self.assertEqual((at_source["deliveries"], at_source["redeliveries"], at_source["gone"]), (COUNT, 0, 0), at_source)
        self.assertEqual(at_source["replies"], COUNT if settled_as == "replied" else 0)
        arrived = self.assert_nothing_missing(number, COUNT)
        self.assertEqual(len(arrived), COUNT)
        if sink in shape_broker.ORDERED:
            self.assert_lanes_in_order(arrived)
        # Each message was settled once: the journal has one line for each.
        lines = self.broker.tell(f"journal in-{number}").splitlines()
        self.assertEqual(sorted(int(line.split()[3]) for line in lines), list(range(COUNT)))
        self.assertEqual({line.split()[2] for line in lines}, {"acknowledged"})

    def run_one(self, source, sink, count, **options):
        self.broker.tell(f"fill in-0 {count} {shape_broker.LANES}")
        self.write("routes.yaml", self.route(source, sink, 0, 20, **options))
        return self.start("run", "routes.yaml")

    def test_a_response_that_comes_twice_counts_once(self):
        self.start_broker()
        self.broker.tell("respond out-0 twice")
        running = self.run_one("replying", "pipelined", 500, responds=True)
        self.assertEqual(running.end(), 0, running.text)
        ledger, = running.ledgers().values()
        self.assertEqual((ledger["received"], ledger["replied"]), (500, 500), ledger)
        self.assertEqual(self.assert_source_is_empty(0, 500)["replies"], 500)
        self.assertEqual(len(self.assert_nothing_missing(0, 500)), 500)

    def test_a_response_that_never_comes_makes_its_request_uncertain(self):
        self.start_broker()
        self.broker.tell("respond out-0 never 7")
        self.broker.tell("delay out-0 3")
        running = self.run_one("replying", "ordered", 500, responds=True)
        self.assertEqual(running.end(), 0, running.text)
        ledger, = running.ledgers().values()
        self.assertEqual((ledger["received"], ledger["replied"]), (500, 500), ledger)
        self.assertEqual(self.assert_source_is_empty(0, 500)["replies"], 500)
        # They were taken, and without a response they were sent again.
        self.assertEqual(len(self.assert_nothing_missing(0, 500)), 507)

    def test_a_lease_that_runs_out_is_gone_and_its_message_comes_again(self):
        self.start_broker()
        self.broker.tell("delay out-0 60")
        running = self.run_one("lease", "plain", 100, more=", extends: false, lease_ms: 20")
        while self.broker.summary("in-0")["expired"] == 0:
            self.assertIsNone(running.process.poll())
        self.broker.tell("delay out-0 0")
        running.end()
        ledger, = running.ledgers().values()
        self.assert_exact(ledger)
        at_source = self.assert_source_is_empty(0, 100)
        self.assertEqual((ledger["delivered"], ledger["received"]), (100, at_source["deliveries"]), ledger)
        self.assertGreater(ledger["returned"], 0)
        arrived = self.assert_nothing_missing(0, 100)
        self.assertLessEqual(len(arrived), at_source["deliveries"])

    def test_a_lease_that_is_extended_lasts(self):
        self.start_broker()
        self.broker.tell("delay out-0 600")
        running = self.run_one("lease", "plain", 20, more=", lease_ms: 400")
        self.assertEqual(running.end(), 0, running.text)
        ledger, = running.ledgers().values()
        self.assert_delivered(ledger, 20)
        at_source = self.assert_source_is_empty(0, 20)
        self.assertEqual((at_source["expired"], at_source["redeliveries"]), (0, 0), at_source)


if __name__ == "__main__":
    bridge.main()
