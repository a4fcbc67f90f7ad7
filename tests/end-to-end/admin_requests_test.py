"""status, pause and resume beside a running host, and a socket that no client can harm."""
import json
import os
import shutil
import signal
import socket
import stat

import bridge
from dead_letters import Letters

ROUTES = """
first: {input: {file: {path: in.txt, format: raw}}, output: {file: {path: first.txt, format: raw}}}
second: {input: {file: {path: in.txt, format: raw}}, output: {file: {path: second.txt, format: raw}}}
missing: {input: {file: {path: none.txt, format: raw}}, output: {file: {path: third.txt, format: raw}}, reconnect_interval_ms: 60000}
"""
COUNTERS = ["received"] + bridge.COUNTERS


class Admin(bridge.Case):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "1\n2\n3\n")
        self.write("routes.yaml", ROUTES)
        self.running = self.begin()

    def begin(self):
        running = self.start("run", "routes.yaml")
        self.until(lambda: self.lines_of("first") == 3 and self.lines_of("second") == 3)
        return running

    def lines_of(self, name):
        path = self.folder / f"{name}.txt"
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def status(self):
        done = self.bridge("status", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def route(self, name):
        return self.status()["routes"][name]

    def stop(self, running=None):
        running = running or self.running
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)
        return running.ledgers()

    def asks(self, data):
        """What the host says to a client that sends just this."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(bridge.PATIENCE)
            client.connect(str(self.folder / "state/admin.sock"))
            client.sendall(data)
            said = b""
            try:
                while part := client.recv(65536):
                    said += part
            except ConnectionResetError:
                pass
            return said.decode()


class Requests(Admin):
    def test_status(self):
        self.until(lambda: self.route("first")["delivered"] == 3 and self.route("missing")["next_try"])
        status = self.status()
        self.assertEqual(list(status), ["host", "routes"])
        self.assertEqual(status["host"]["pid"], self.running.process.pid)
        self.assertEqual(list(status["host"]), ["pid", "version", "since"])
        first = status["routes"]["first"]
        self.assertEqual(list(first), ["state", "since", "cause", "next_try", "lag", "in_flight_bytes"] + COUNTERS)
        self.assertEqual((first["state"], first["received"], first["delivered"], first["in_flight"], first["in_flight_bytes"],
                          first["cause"], first["next_try"]), ("running", 3, 3, 0, 0, None, None))
        missing = status["routes"]["missing"]
        self.assertEqual(missing["state"], "reconnecting")
        self.assertIn("none.txt", missing["cause"])
        self.assertRegex(missing["next_try"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")
        self.assertGreater(missing["next_try"], missing["since"])
        table = self.bridge("status", "routes.yaml").stdout
        self.assertRegex(table, rf"^mqbridge \S+, process {self.running.process.pid}, for \d+s\nroute +state +for +received +delivered +in_flight +held\n")
        self.assertRegex(table, r"\nfirst +running +\d+s +3 +3 +0 +0 B\n")
        self.assertRegex(table, r"\nmissing: .*none\.txt")
        self.assertRegex(table, r"\nmissing: tries again at 20")
        self.stop()

    def test_a_paused_route_reads_nothing_and_then_goes_on(self):
        done = self.bridge("pause", "first")
        self.assertEqual((done.returncode, done.stdout), (0, "first: pausing\n"), done.stderr)
        self.until(lambda: self.route("first")["state"] == "paused")
        self.assertEqual(self.route("first")["lag"], {"bytes": 0})
        with open(self.folder / "in.txt", "a") as more:
            more.write("4\n5\n")
        self.until(lambda: self.lines_of("second") == 5)  # by now the first would have them, too
        with open(self.folder / "in.txt", "a") as more:
            more.write("6\n")
        self.until(lambda: self.lines_of("second") == 6)
        paused = self.route("first")
        self.assertEqual((paused["state"], paused["cause"], paused["received"]), ("paused", "paused", 3))
        self.assertEqual(paused["lag"], {"bytes": 6})
        status = self.status()["routes"]
        self.assertEqual((status["second"]["lag"], status["missing"]["lag"]), ({"bytes": 0}, None))
        self.assertEqual(self.lines_of("first"), 3)
        self.assertEqual(self.bridge("resume", "first").stdout, "first: resuming\n")
        self.until(lambda: self.lines_of("first") == 6)
        self.assertEqual(self.route("first")["state"], "running")
        ledgers = self.stop()
        self.assert_delivered(ledgers["first"], 6, "stopped")
        self.assert_delivered(ledgers["second"], 6, "stopped")
        self.assertEqual((self.folder / "first.txt").read_text(), "1\n2\n3\n4\n5\n6\n")

    def test_a_route_that_is_not_there(self):
        done = self.bridge("pause", "frist")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, 'mqbridge pause: no route "frist" runs here (did you mean "first"?)\n')
        self.assertEqual(self.bridge("resume", "nothing").stderr, 'mqbridge resume: no route "nothing" runs here\n')
        self.stop()

    def test_no_host(self):
        self.stop()
        for words in (["status"], ["status", "--json"], ["pause", "first"]):
            done = self.bridge(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, f"^mqbridge {words[0]}: no mqbridge runs on the state directory .*/state\n$")
        done = self.bridge("status", "--state-dir", "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "nowhere: does not exist")

    def test_the_place_of_a_route_file_and_of_the_option(self):
        self.stop()
        self.write("routes.yaml", "state_dir: elsewhere\nroutes:" + ROUTES.replace("\n", "\n  "))
        running = self.start("run", "routes.yaml")
        self.until(lambda: self.bridge("status", "routes.yaml").returncode == 0)
        self.assertEqual(self.bridge("status").returncode, 1)
        self.assertEqual(self.bridge("status", "--state-dir", self.folder / "elsewhere").returncode, 0)
        self.stop(running)


class Socket(Admin):
    def test_mode_and_end(self):
        door = self.folder / "state/admin.sock"
        self.assertEqual(stat.S_IMODE(door.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(door.parent.stat().st_mode), 0o700)
        self.stop()
        self.assertFalse(door.exists())

    def test_a_killed_host_leaves_nothing_in_the_way(self):
        self.running.process.kill()
        self.running.end()
        self.assertTrue((self.folder / "state/admin.sock").exists())
        self.assertRegex(self.bridge("status").stderr, "no mqbridge runs on")
        again = self.begin()
        self.until(lambda: self.bridge("status").returncode == 0)
        self.assertEqual(self.status()["host"]["pid"], again.process.pid)
        self.stop(again)

    def test_a_host_whose_socket_was_removed_is_named(self):
        """Until it has ended, and not another process that has got its number."""
        door = self.folder / "state/admin.sock"
        door.unlink()
        number = self.running.process.pid
        for words in (["status"], ["pause", "first"]):
            done = self.bridge(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, f"^mqbridge {words[0]}: process {number} runs on the state directory .*/state and cannot be asked: "
                                          f"its socket .*/state/admin.sock is not there, .* \\(kill -TERM {number} stops it\\)\n$")
        self.stop()
        lock = self.folder / "state/lock"
        for text in ("1\n", f"{os.getpid()}\n", "", "-1\n", "x\n", "9" * 40):
            lock.write_text(text)
            self.assertRegex(self.bridge("status").stderr, "no mqbridge runs on")

    def test_a_path_longer_than_a_socket_address(self):
        self.stop()
        deep = self.folder / ("d" * 100) / ("e" * 100)
        running = self.start("run", "routes.yaml", "--state-dir", deep)
        self.until(lambda: self.bridge("status", "--state-dir", deep).returncode == 0)
        self.stop(running)

    def test_hostile_clients(self):
        for data in (b"\n", b"{}\n", b"[]\n", b"null\n", b"\xff\xfe\n", b"[" * 5000 + b"\n", b'{"do":"fly"}\n', b'{"do":["status"]}\n',
                     b'{"do":"pause"}\n', b'{"do":"replay","route":"first","filter":{"ids":["x"]}}\n',
                     b'{"do":"replay","route":"first","filter":7}\n'):
            self.assertRegex(self.asks(data), r'^\{"error":".+"\}\n$', data)
        self.assertEqual(self.asks(b"x" * (1 << 18) + b"yy"), "")  # no end of a line in sight
        idle = [socket.socket(socket.AF_UNIX) for _ in range(80)]
        for client in idle:
            self.addCleanup(client.close)
            client.connect(str(self.folder / "state/admin.sock"))
        with open(self.folder / "in.txt", "a") as more:  # the routes do not care
            more.write("4\n")
        self.until(lambda: self.lines_of("first") == 4 and self.lines_of("second") == 4)
        for client in idle:
            client.close()
        self.until(lambda: self.bridge("status").returncode == 0)
        self.stop()

    def test_a_client_that_takes_no_answer_holds_nobody(self):
        names = "\n".join("%s: {enabled: true, input: {memory: {topic: t%d}}, output: null}" % ("n" * 200 + str(i), i) for i in range(800))
        self.stop()
        self.write("routes.yaml", ROUTES + names)
        running = self.start("run", "routes.yaml", "--log-level", "error")
        self.until(lambda: self.bridge("status").returncode == 0)
        slow = [socket.socket(socket.AF_UNIX) for _ in range(10)]
        for client in slow:
            self.addCleanup(client.close)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(str(self.folder / "state/admin.sock"))
            client.sendall(b'{"do":"status"}\n')
        self.assertEqual(len(self.status()["routes"]), 803)
        self.stop(running)


class States(Letters):
    """What a status says of a route in trouble."""

    def now(self):
        done = self.bridge("status", "--json")  # the host may not have begun
        return json.loads(done.stdout)["routes"]["orders"] if done.returncode == 0 else dict.fromkeys(["state", "cause", "delivered"], "")

    def until_state(self, test):
        self.until(lambda: test(self.now()))

    def test_the_cause_says_why_messages_come_back_until_they_are_through(self):
        self.lines([b"one"])
        self.answers([{"answer": "again", "text": "no room", "not_before_ms": 2000}])
        self.write("routes.yaml", self.route(drain=False))
        running = self.start("run", "routes.yaml")
        self.until_state(lambda now: (now["state"], now["cause"]) == ("running", "output: no room"))
        self.until_state(lambda now: (now["cause"], now["delivered"]) == (None, 1))
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_a_route_whose_dead_letter_endpoint_is_lost_is_reconnecting(self):
        dead = self.folder / "sub" / "dead.txt"
        dead.parent.mkdir()
        self.lines([b"one"])
        self.answers([{"answer": "refused"}, {"answer": "refused"}, {"answer": "unsent", "status": "disconnected"}] + [{"answer": "refused"}] * 9)
        output = "{middlewares: [{dlq: {endpoint: {file: {path: sub/dead.txt, format: raw}}}}], scripted: {script: orders.json, log: orders.log}}"
        self.write("routes.yaml", self.route(more="  reconnect_interval_ms: 200\n", output=output, drain=False))
        running = self.start("run", "routes.yaml")
        self.until(lambda: dead.exists() and dead.read_bytes() == b"one\n")
        shutil.rmtree(dead.parent)
        with open(self.folder / "orders.txt", "ab") as more:
            more.write(b"two\n")
        self.until_state(lambda now: now["state"] == "reconnecting" and "dead.txt" in now["cause"])
        # Another endpoint that is back does not make it whole.
        with open(self.folder / "orders.txt", "ab") as more:
            more.write(b"three\n")
        self.until(lambda: (self.folder / "orders.log").read_text().count("connect") == 2)
        for _ in range(5):
            self.assertEqual(self.now()["state"], "reconnecting")
        dead.parent.mkdir()
        self.until_state(lambda now: (now["state"], now["cause"]) == ("running", None))
        self.until(lambda: dead.exists() and dead.read_bytes() == b"two\nthree\n")
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)


if __name__ == "__main__":
    bridge.main()
