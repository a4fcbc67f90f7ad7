"""Endpoints inside the configuration of a plugin's endpoint, with middlewares of their own."""
import bridge

NESTING = bridge.BUILD / "tests" / "boundary-plugins" / "libmqb_nesting.so"
COUNT = 5000


class NestedEndpoints(bridge.Case):
    def run_route(self, text, code=0):
        self.write("in.txt", "".join(f"m{i}\n" for i in range(COUNT)))
        self.write("routes.yaml", text)
        running = self.start("run", "routes.yaml", "--plugin", NESTING)
        self.assertEqual(running.end(), code, running.text)
        return running

    def assert_all_arrived(self, name="out.txt"):
        self.assertEqual((self.folder / name).read_text().splitlines(), [f"m{i}" for i in range(COUNT)])

    def test_messages_pass_a_nested_input_and_a_nested_output(self):
        running = self.run_route(
            "r: {exit_on_empty: true, batch_size: 50,\n"
            "    input: {nesting: {from: {file: {path: in.txt, format: raw}}}},\n"
            "    output: {nesting: {to: {file: {path: out.txt, format: raw}, middlewares: [{retry: {}}, {dlq: {endpoint: {file: {path: dead.txt}}}}]}}}}\n")
        self.assert_delivered(running.ledgers()["r"], COUNT)
        self.assert_all_arrived()

    def test_a_nested_output_inside_of_a_nested_output(self):
        running = self.run_route(
            "r: {exit_on_empty: true,\n"
            "    input: {file: {path: in.txt, format: raw}},\n"
            "    output: {nesting: {to: {nesting: {to: {file: {path: out.txt, format: raw}}}}}}}\n")
        self.assert_delivered(running.ledgers()["r"], COUNT)
        self.assert_all_arrived()

    def test_a_nested_output_that_can_never_be_opened_fails_the_route_before_anything_is_read(self):
        running = self.run_route(
            "r: {exit_on_empty: true, input: {file: {path: in.txt, format: raw}},\n"
            "    output: {nesting: {to: {file: {path: nowhere/out.txt, format: raw}}}}}\n", 1)
        self.assertIn("cannot open file target 'nowhere/out.txt'", running.text)
        ledger = running.ledgers()["r"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["state"], ledger["received"]), ("failed", 0), ledger)

    def test_what_cannot_be_nested_is_said_before_anything_runs(self):
        for text, expected in (
                ("{to: {nothing: {}}}", 'f.yaml:1:73: r.output.nesting.to.nothing: no plugin offers the endpoint "nothing"'),
                ("{to: {file: {path: o}}, from: {file: {path: i}}}", "r.output.nesting.from: only for an input"),
                ("{to: {file: {path: o}}, counts: {memory: {}}}", "r.output.nesting.counts: a store is not supported by this version")):
            with self.subTest(expected):
                self.write("f.yaml", "r: {input: {file: {path: in.txt, format: raw}}, output: {nesting: " + text + "}}\n")
                done = self.bridge("check", "f.yaml", "--plugin", NESTING)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(expected, done.stderr)

    def test_an_endpoint_that_is_lent_nothing_says_so(self):
        running = self.run_route("r: {exit_on_empty: true, input: {file: {path: in.txt, format: raw}}, output: {nesting: {}}}\n", 1)
        self.assertIn('was lent no endpoint at ""', running.text)


if __name__ == "__main__":
    bridge.main()
