"""What is refused is in the store, byte by byte and with where and why, before the source is acknowledged; nothing else is."""
import base64
import json

import bridge
from dead_letters import REFUSED, Letters


class Store(Letters):
    def test_a_refused_row(self):
        row = b"two \xff\x00 \xf0\x9f\x92\xbe"
        self.lines([b"one", row, b"three"])
        self.answers([{}, REFUSED])
        self.write("routes.yaml", self.route())
        ledger = self.run_to_end().ledgers()["orders"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["dead_lettered"]), (3, 2, 1))
        letter, = self.dlq("list")
        self.assertEqual({k: letter[k] for k in ("id", "route", "endpoint", "class", "error", "attempts", "size")},
                         {"id": 1, "route": "orders", "endpoint": "output", "class": "refused", "error": REFUSED["text"],
                          "attempts": 1, "size": len(row)})
        self.assertRegex(letter["first_at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
        self.assertEqual(letter["first_at"], letter["last_at"])
        self.assertRegex(letter["source"]["message_id"], "^[0-9a-f]{32}$")
        self.assertIn("lane", letter["source"])
        shown = self.dlq("show", "1")
        self.assertEqual(base64.b64decode(shown["payload_base64"]), row)
        self.assertEqual({k: shown[k] for k in letter}, letter)
        self.assertIn("metadata", shown)
        self.assertIn("there is no dead letter 2", self.dlq("show", "2", code=1))
        table = self.bridge("dlq", "list").stdout.splitlines()
        self.assertEqual(table[0].split(), ["ID", "ROUTE", "ENDPOINT", "CLASS", "ATTEMPTS", "AGE", "SIZE", "ERROR"])
        self.assertEqual(table[1].split()[:5], ["1", "orders", "output", "refused", "1"])
        self.assertIn("\x1b[31mrefused\x1b[0m", self.on_terminal("dlq", "list"))
        for refusing in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
            shown = self.on_terminal("dlq", "list", **refusing)
            self.assertIn("refused", shown)
            self.assertNotIn("\x1b", shown)

    def test_strict(self):
        self.write("routes.yaml", self.route())
        self.lines([b"one", b"two"])
        self.answers([])
        self.run_to_end("--strict", code=0)
        self.answers([REFUSED])
        self.run_to_end("--strict", code=3)
        self.run_to_end(code=0)

    def test_what_a_dlq_takes_counts_and_is_not_in_the_store(self):
        self.lines([b"one", b"two"])
        self.answers([{}, REFUSED])
        output = "{middlewares: [{dlq: {endpoint: {file: {path: dead.txt, format: raw}}}}], scripted: {script: orders.json, log: orders.log}}"
        self.write("routes.yaml", self.route(output=output))
        ledger = self.run_to_end("--strict", code=3).ledgers()["orders"]
        self.assertEqual((ledger["delivered"], ledger["dead_lettered"]), (1, 1))
        self.assertEqual((self.folder / "dead.txt").read_bytes(), b"two\n")
        self.assertEqual(self.dlq("list"), [])

    def test_each_class(self):
        again = {"answer": "again", "text": "busy"}
        retry = "{middlewares: [{retry: {max_attempts: 3, initial_interval_ms: 1}}], scripted: {script: retried.json, log: retried.log}}"
        self.write("routes.yaml", self.route() + self.route("retried", output=retry) + self.route("often", more="  max_deliveries: 2\n"))
        for name, answers in (("orders", [REFUSED]), ("retried", [again] * 3), ("often", [again] * 2)):
            self.lines([b"row of " + name.encode()], name)
            self.answers(answers, name)
        self.run_to_end()
        letters = {letter["route"]: (letter["class"], letter["error"]) for letter in self.dlq("list")}
        self.assertEqual(letters["orders"], ("refused", REFUSED["text"]))
        self.assertEqual(letters["often"], ("max_deliveries", "busy"))
        # Without a dlq what retry gives up comes again from the ledger, and is done then.
        self.assertNotIn("retried", letters)
        self.assertEqual(self.sent("retried"), ["row of retried"] * 4)
        self.assertEqual([letter["route"] for letter in self.dlq("list", "--class", "max_deliveries")], ["often"])

    def test_the_times_are_those_of_the_first_and_of_the_last_failure(self):
        self.lines([b"one"])
        self.answers([{"answer": "again", "text": "busy"}, {"answer": "again", "text": "busy"}])
        self.write("routes.yaml", self.route(more="  max_deliveries: 2\n"))
        self.run_to_end()
        letter, = self.dlq("list")
        self.assertEqual(letter["attempts"], 2)
        self.assertLess(letter["first_at"], letter["last_at"])

    def test_what_max_bytes_has_room_for_is_stored_of_a_large_batch(self):
        self.lines([b"%04d" % n + b"x" * 1000 for n in range(512)])
        self.answers([REFUSED] * 512)
        more = "  dead_letters: {max_bytes: 300k, stop_after: 0}\n"
        self.write("routes.yaml", self.route(more=more).replace("batch_size: 4", "batch_size: 512"))
        running = self.run_to_end(code=1)
        ledger = running.ledgers()["orders"]
        self.assert_exact(ledger)
        self.assertRegex(ledger["cause"], "have reached dead_letters.max_bytes")
        self.assertGreaterEqual(ledger["dead_lettered"], 128)
        self.assertEqual((len(self.dlq("list")), ledger["dead_lettered"] + ledger["returned"]), (ledger["dead_lettered"], 512))

    def test_purge(self):
        self.lines([b"a", b"b", b"c"])
        self.answers([REFUSED, {"answer": "refused", "text": "another"}, REFUSED])
        self.write("routes.yaml", self.route())
        self.run_to_end()
        refused = self.bridge("dlq", "purge")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("--all", refused.stderr)
        self.assertEqual(self.dlq("purge", "--error", "COLUMN", "--limit", "1"), {"purged": 1})
        self.assertEqual(self.payloads(), [b"b", b"c"])
        self.assertEqual(self.dlq("purge", "--all"), {"purged": 2})
        self.assertEqual(self.dlq("list"), [])

    def test_the_bound_pauses_the_route_and_fails_a_drain(self):
        self.lines([b"a", b"b", b"c", b"d"])
        self.answers([REFUSED] * 4)
        self.write("routes.yaml", self.route(more="  dead_letters: {stop_after: 2}\n"))
        running = self.run_to_end(code=1)
        ledger = running.ledgers()["orders"]
        self.assert_exact(ledger)
        self.assertEqual(ledger["state"], "failed")
        self.assertRegex(ledger["cause"], "messages in a row were dead-lettered")
        self.assertEqual(len(self.dlq("list")), ledger["dead_lettered"])


class Secrets(Letters):
    SECRET = "hunter2-correct-horse"

    def test_C107_no_secret_anywhere(self):
        self.write("password", self.SECRET)
        encoded = base64.b64encode(self.SECRET.encode()).decode()
        self.lines([b"one"])
        self.answers([{"answer": "refused", "text": f"login with {self.SECRET} ({encoded}) was refused"}])
        self.lines([b"two"], "lost")
        self.answers([{"answer": "refused", "text": f"{self.SECRET} is wrong"}], "lost")
        for name in ("passed", "kept"):  # to where others read them
            self.lines([b"three"], name)
            self.answers([{"answer": "refused", "text": f"not {self.SECRET}"}], name)
        passed = "{middlewares: [{dlq: {endpoint: {file: {path: passed.dead}}}}], scripted: {script: passed.json, log: passed.log}}"
        self.write("routes.yaml", self.route(more='  description: "${file:password}"\n', drain=False)
                   + self.route("lost", more="  on_error: stop\n", drain=False)
                   + self.route("passed", output=passed)
                   + self.route("kept", more="  dead_letters: {endpoint: {file: {path: kept.dead}}}\n"))
        running = self.start("run", "routes.yaml", "--log-level", "debug")
        self.assertTrue(running.wait_for("is wrong"))
        self.until(lambda: self.count() == 1)
        said = []
        for words in (["status"], ["status", "--json"], ["dlq", "list"], ["dlq", "list", "--json"], ["dlq", "show", "1"],
                      ["dlq", "show", "1", "--json"], ["dlq", "replay", "--route", "orders", "routes.yaml"],
                      ["pause", "orders"], ["check", "routes.yaml"]):
            done = self.bridge(*words)
            said.append(done.stdout + done.stderr)
        status = json.loads(said[1])["routes"]
        self.assertRegex(status["lost"]["cause"] or "", r"\*\*\* is wrong")
        running.process.terminate()
        self.assertEqual(running.end(), 1)
        said += [running.text, running.summary_file.read_text()]
        said += [path.read_bytes().decode("latin1") for path in (self.folder / "state").rglob("*") if path.is_file()]
        dead = [(self.folder / name).read_text() for name in ("passed.dead", "kept.dead")]
        for text in dead:
            self.assertIn('"mq_bridge.dlq.error":', text)
            self.assertIn("not ***", text)
        for text in said + dead:
            for form in (self.SECRET, encoded.rstrip("=")[:-2]):
                self.assertEqual(text.count(form), 0, repr(text))
        self.assertGreater(sum(text.count("***") for text in said), 5)


if __name__ == "__main__":
    bridge.main()
