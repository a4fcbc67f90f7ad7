"""dlq replay: through the output of the route once more, beside a host that runs and without one."""
import json
import signal
import subprocess

import bridge
from dead_letters import REFUSED, Letters


class WithoutHost(Letters):
    def setUp(self):
        super().setUp()
        self.lines([b"one", b"two", b"three", b"four"])
        self.answers([{}, REFUSED, REFUSED, {}])
        self.write("routes.yaml", self.route())
        self.run_to_end()
        self.assertEqual(self.payloads(), [b"two", b"three"])
        (self.folder / "orders.log").unlink()

    def test_after_the_fault_is_mended_everything_arrives_and_the_store_is_empty(self):
        self.answers([])
        self.assertEqual(self.dlq("replay", "routes.yaml"),
                         [{"route": "orders", "letters": 2, "replayed": 2, "left": 0, "cause": None}])
        self.assertEqual(self.sent(), ["two", "three"])
        self.assertEqual(self.dlq("list"), [])
        self.assertEqual(self.dlq("replay", "routes.yaml"), [])

    def test_what_fails_again_stays_the_same_letter_with_one_attempt_more(self):
        before = self.dlq("list")
        self.answers([{"answer": "refused", "text": "still not"}])
        done = self.bridge("dlq", "replay", "routes.yaml")
        self.assertEqual((done.returncode, done.stdout), (1, "orders: 1 of 2 replayed, 1 left: see mqbridge dlq list\n"), done.stderr)
        letter, = self.dlq("list")
        self.assertEqual((letter["id"], letter["attempts"], letter["error"]), (before[0]["id"], 2, "still not"))
        self.assertEqual(letter["first_at"], before[0]["first_at"])
        self.assertGreater(letter["last_at"], before[0]["last_at"])
        self.assertEqual(self.payloads(), [b"two"])

    def test_an_output_that_stays_busy_does_not_hold_a_replay_for_ever(self):
        self.answers([{"answer": "again", "text": "busy"}] * 100)
        self.assertEqual(self.dlq("replay", "--limit", "1", "routes.yaml", code=1)[0]["left"], 1)
        self.assertEqual([(letter["attempts"] > 1, letter["error"]) for letter in self.dlq("list")],
                         [(True, "busy"), (False, REFUSED["text"])])

    def test_filters(self):
        self.answers([])
        self.assertEqual(self.dlq("replay", "--id", "2", "routes.yaml")[0]["letters"], 1)
        self.assertEqual(self.sent(), ["three"])
        self.assertEqual(self.payloads(), [b"two"])
        self.assertEqual(self.dlq("replay", "--since", "2099-01-01", "routes.yaml"), [])
        self.assertIn("--since", self.dlq("replay", "--since", "yesterday", "routes.yaml", code=2))

    def test_a_route_that_the_file_does_not_have(self):
        self.write("routes.yaml", self.route("order"))
        replayed, = self.dlq("replay", "routes.yaml", code=1)
        self.assertEqual((replayed["replayed"], replayed["left"]), (0, 2))
        self.assertEqual(replayed["cause"], 'no such route in the file (did you mean "order"?)')
        self.assertEqual(len(self.dlq("list")), 2)

    def test_no_host_and_no_file(self):
        self.assertRegex(self.dlq("replay", code=2), "no mqbridge runs on the state directory .*: give the route file")


class BesideAHost(Letters):
    def test_a_host_that_is_stopped_is_named(self):
        """Within the ten seconds that whoever asks waits for a first word."""
        self.lines([b"one"])
        self.answers([REFUSED])
        self.write("routes.yaml", self.route(drain=False))
        running = self.start("run", "routes.yaml")
        self.until(lambda: self.count() == 1)
        running.process.send_signal(signal.SIGSTOP)
        try:
            asking = [subprocess.Popen([bridge.BINARY, *words], cwd=self.folder, env=bridge.environment(), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                      for words in (["dlq", "replay"], ["dlq", "replay", "routes.yaml"], ["status"], ["pause", "orders"])]
            for process in asking:
                self.addCleanup(process.kill)
            for process in asking:
                said = process.communicate(timeout=bridge.PATIENCE)
                self.assertEqual((process.returncode, said[0]), (1, ""))
                self.assertIn(f": process {running.process.pid} does not answer: it is stopped, or too busy\n", said[1])
            self.assertEqual(len(self.dlq("list")), 1)
        finally:
            running.process.send_signal(signal.SIGCONT)
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)

    def test_the_host_replays(self):
        self.lines([b"one", b"two", b"three"])
        self.answers([{}, REFUSED, REFUSED])
        self.write("routes.yaml", self.route(drain=False))
        running = self.start("run", "routes.yaml")
        self.until(lambda: self.count() == 2)
        door = self.folder / "state/admin.sock"
        door.rename(self.folder / "aside")  # a replay of the command's own would have two at work on the output
        self.assertRegex(self.dlq("replay", "routes.yaml", code=1), f"process {running.process.pid} runs on .* and cannot be asked")
        (self.folder / "aside").rename(door)
        self.answers([{"answer": "refused", "text": "not yet"}])
        self.assertEqual(self.dlq("replay", code=1), [{"route": "orders", "letters": 2, "replayed": 1, "left": 1, "cause": None}])
        self.assertEqual([(letter["attempts"], letter["error"]) for letter in self.dlq("list")], [(2, "not yet")])
        self.answers([])
        self.assertEqual(self.dlq("replay", "routes.yaml")[0]["replayed"], 1)
        self.assertEqual(self.dlq("list"), [])
        self.assertEqual(self.sent(), ["one", "two", "three", "two", "three", "two"])
        self.assertEqual(list(json.loads(self.bridge("status", "--json").stdout)["routes"]), ["orders"])
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)
        ledgers = running.ledgers()
        self.assertEqual(list(ledgers), ["orders"])
        self.assert_exact(ledgers["orders"])
        self.assertEqual((ledgers["orders"]["delivered"], ledgers["orders"]["dead_lettered"]), (1, 2))

    def test_letters_of_a_route_that_the_host_does_not_run_stay(self):
        self.lines([b"one"])
        self.answers([REFUSED])
        self.write("routes.yaml", self.route())
        self.run_to_end()
        self.write("other.yaml", self.route("invoices", drain=False))
        self.lines([], "invoices")
        self.answers([], "invoices")
        running = self.start("run", "other.yaml")
        self.until(lambda: self.bridge("status").returncode == 0)
        replayed, = self.dlq("replay", code=1)
        self.assertEqual((replayed["left"], replayed["cause"]), (1, 'no route "orders" runs here'))
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_a_file_has_one_writer_so_its_route_waits_meanwhile(self):
        rows = [b"row %d" % i for i in range(400)]
        self.lines(rows)
        self.answers([REFUSED] * len(rows))
        self.write("routes.yaml", self.route())
        self.run_to_end()
        self.write("routes.yaml", self.route(output="{file: {path: out.txt, format: raw}}", drain=False))
        self.lines([b"new %d" % i for i in range(400)])
        running = self.start("run", "routes.yaml")
        out = self.folder / "out.txt"
        self.until(lambda: out.exists() and out.read_bytes().count(b"\n") == 400)
        self.assertEqual(self.dlq("replay")[0]["replayed"], len(rows))
        self.assertTrue(running.wait_for("orders: resumed"))
        with open(self.folder / "orders.txt", "ab") as more:
            more.write(b"last\n")
        self.until(lambda: out.read_bytes().endswith(b"last\n"))
        self.assertEqual(out.read_bytes().splitlines(), [b"new %d" % i for i in range(400)] + rows + [b"last"])
        self.assertRegex(running.text, r"orders: paused[\s\S]*orders \(replay\): completed[\s\S]*orders: resumed")
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["orders"], 401, "stopped")

    def test_a_replay_ends_with_its_command(self):
        self.lines([b"one"])
        self.answers([REFUSED])
        self.write("routes.yaml", self.route(more="  shutdown_timeout_ms: 1000\n", drain=False))
        running = self.start("run", "routes.yaml")
        self.until(lambda: self.count() == 1)
        self.answers([{"answer": "never"}])
        asking = bridge.Running(self.folder, ["dlq", "replay"], summary=False)
        self.addCleanup(asking.close)
        self.until(lambda: "orders (replay)" in json.loads(self.bridge("status", "--json").stdout)["routes"])
        refused, = self.dlq("replay", code=1)
        self.assertEqual(refused["cause"], 'a replay of route "orders" is running')
        asking.process.kill()
        self.assertTrue(running.wait_for(r"orders \(replay\): stopped"))
        self.assertEqual(len(self.dlq("list")), 1)
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)


if __name__ == "__main__":
    bridge.main()
