"""Sockets between processes: who may speak, how many are served, and what happens when one side does not keep up."""
import json
import os
import pathlib
import re
import shutil
import socket
import stat
import threading
import unittest

import bridge
import ipc
from ipc import frame, message

UUID = "0199f3ab-0000-7000-8000-000000000001"
NOBODY = 65534


class Users(ipc.Case):
    def test_folders_are_made_for_their_user_alone(self):
        self.path = self.folder / "a" / "b" / "s.sock"
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()
        for path, mode in ((self.path, 0o600), (self.path.parent, 0o700), (self.path.parent.parent, 0o700)):
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), mode, path)
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_a_folder_in_which_everybody_may_replace_files_is_refused(self):
        self.path = self.folder / "open" / "s.sock"
        self.path.parent.mkdir()
        self.path.parent.chmod(0o777)
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.assertEqual(running.end(), 1)
        self.assertRegex(running.text, r"open: everybody may replace files in it: chmod o-w")

    @unittest.skipIf(os.geteuid() != 0, "needs root, to be two users")
    def test_a_listener_of_another_user_gets_nothing(self):
        self.folder.chmod(0o777)
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        os.seteuid(NOBODY)  # who listens is whoever called listen
        try:
            listener.bind(str(self.path))
            listener.listen()
        finally:
            os.seteuid(0)
        listener.settimeout(bridge.PATIENCE)
        running = self.run_routes("w.yaml", self.writer(b"secret\n"), "state")
        self.assertTrue(running.wait_for(rf"the listener at .*s\.sock belongs to user {NOBODY}, not to 0"))
        peer, _ = listener.accept()
        self.addCleanup(peer.close)
        self.assertEqual(peer.recv(1), b"")
        running.process.terminate()
        running.end()

    @unittest.skipIf(os.geteuid() != 0, "needs root, to be two users")
    def test_a_publisher_of_another_user_is_sent_away(self):
        self.write("r.yaml", self.reader())
        os.chown(self.folder, NOBODY, NOBODY)
        # From a copy in the scratch folder: the folders above the build may be closed to others.
        plugins = self.folder / "plugins"
        plugins.mkdir()
        for name in ("memory", "file"):
            shutil.copy(bridge.PLUGINS / f"libmqb_{name}.so", plugins)
        binary = shutil.copy(bridge.BINARY, self.folder / "mqbridge")
        running = bridge.Running(self.folder, ["run", "r.yaml", "--state-dir", "state"], binary=binary, plugins=plugins, user=NOBODY)
        self.addCleanup(running.close)
        self.until_listening()
        peer = self.connect()  # root may
        self.assertEqual(peer.recv(1), b"")
        self.assertTrue(running.wait_for(rf"process \d+ of user 0 is sent away: only user {NOBODY} may write here"))
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)


class Serving(ipc.Case):
    def test_a_flood_of_one_publisher_keeps_no_other_waiting(self):
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()
        flood = self.connect()
        ended = threading.Event()

        def send_always():
            many = frame(*(message(UUID, b"flood") for _ in range(1000)))
            while not ended.is_set():
                flood.sendall(many)
            flood.close()
        sender = threading.Thread(target=send_always)
        sender.start()
        self.addCleanup(sender.join)
        self.addCleanup(ended.set)
        self.until((self.folder / "out.txt").exists)
        arrived, cut = set(), b""
        with open(self.folder / "out.txt", "rb") as out:
            def has(one):
                nonlocal cut
                *lines, cut = (cut + out.read()).split(b"\n")
                arrived.update(lines)
                return one in arrived
            for k in range(50):  # each from a publisher that comes anew, while the socket of the first is never empty
                with self.connect() as peer:
                    peer.sendall(frame(message(UUID, b"number %03d" % k)))
                self.until(lambda: has(b"number %03d" % k))
        self.assertTrue(sender.is_alive())
        ended.set()
        sender.join()
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_a_reader_whose_output_hangs_takes_as_much_as_its_capacity(self):
        self.write("never.json", '[{"answer": "never"}]')
        reader = self.reader(more="  batch_size: 10\n  send_window: 1\n  shutdown_timeout_ms: 300\n").replace(
            "{file: {path: out.txt, format: raw}}", "{scripted: {script: never.json, log: log.txt}}").replace("ack: false", "capacity: 4, capacity_bytes: 1 MiB")
        running = self.run_routes("r.yaml", reader, "state")
        self.until_listening()
        peer = self.connect()
        one = frame(message(UUID, b"x" * 200))
        sent = 0
        peer.settimeout(1)
        try:
            while sent < 100 << 20:
                sent += peer.send(one * 100)
        except TimeoutError:
            pass
        # What the kernel keeps, one block of reading and what the channel and the route may have.
        self.assertLess(sent, 4 << 20)
        running.process.terminate()
        running.end()
        self.assertEqual(running.ledgers()["reader"]["delivered"], 0)


class Blocked(ipc.Case):
    def test_a_reader_that_does_not_read_is_named_after_five_seconds_and_nothing_is_dropped(self):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(self.path))
        listener.listen()
        listener.settimeout(bridge.PATIENCE)
        lines = [b"%07d" % n + b"x" * 200 for n in range(20_000)]
        running = self.run_routes("w.yaml", self.writer(b"\n".join(lines) + b"\n", more="  exit_on_empty: true\n"), "state")
        peer, _ = listener.accept()
        self.addCleanup(peer.close)
        self.assertTrue(running.wait_for(r"s\.sock: a send has been blocked for 5 s: the reader does not read; still waiting"))
        self.assertEqual(running.text.count("has been blocked"), 1)
        peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{running.process.pid}/status").read_text())[1])
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(peak, 64 << 10)
        peer.settimeout(bridge.PATIENCE)
        payloads = []
        while (body := self.take(peer)) is not None:
            payloads += re.findall(rb"\xc4\xcf(\d{7}x{200})", body)
        self.assertEqual(payloads, lines)
        self.assertEqual(running.end(), 0, running.text)

    def test_a_writer_without_a_reader_fails_when_it_has_waited_long_enough(self):
        running = self.run_routes("w.yaml", self.writer(b"1\n", more="  startup_timeout_ms: 300\n  exit_on_empty: true\n"), "state")
        self.assertEqual(running.end(), 1)
        self.assertRegex(running.text, r"nobody listens at .*s\.sock \(No such file or directory\): start the consumer")
        self.assertEqual(running.ledgers()["writer"]["state"], "failed")


class Subscribers(ipc.Case):
    def test_every_route_that_subscribes_gets_everything(self):
        lines = [b"%d" % n for n in range(20_000)]
        (self.folder / "in.txt").write_bytes(b"".join(b"%s\n" % one for one in lines))
        for ack in ("false", "true"):
            with self.subTest(ack=ack):
                topic = f"{{memory: {{topic: t, subscribe_mode: true, capacity: 10, ack: {ack}}}}}"
                self.write("r.yaml", f"writer:\n  batch_size: 50\n  input: {{file: {{path: in.txt, format: raw}}}}\n  output: {topic}\n" + "".join(
                    f"reader{k}:\n  input: {topic}\n  output: {{file: {{path: out{k}-{ack}.txt, format: raw}}}}\n" for k in range(3)))
                done = self.bridge("run", "r.yaml", "--drain")
                self.assertEqual(done.returncode, 0, done.stderr)
                for k in range(3):
                    self.assertEqual(self.lines(f"out{k}-{ack}.txt"), lines)

    def test_a_name_with_and_without_subscribers_is_refused(self):
        self.write("r.yaml", "a:\n  input: {memory: {topic: t, subscribe_mode: true}}\n  output: null\n"
                   "b:\n  input: {memory: {topic: t}}\n  output: null\n")
        running = self.start("run", "r.yaml")
        self.assertTrue(running.wait_for('topic: "t" is used with and without subscribe_mode: it has to be the same at all endpoints of a name'))
        running.process.terminate()
        self.assertEqual(running.end(), 1)
        self.assertEqual(sorted(one["state"] for one in running.ledgers().values()), ["failed", "stopped"])


class Page(bridge.Case):
    def test_the_table_of_options_says_what_the_plugin_says(self):
        done = self.bridge("describe", "memory", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        options = json.loads(done.stdout)["schema"]["properties"]
        page = (pathlib.Path(os.environ["MQB_TEST_DOCS"]).parent / "plugins" / "memory" / "README.md").read_text()
        rows = {row[0]: row for row in re.findall(r"^\| `(\w+)`[^|]*\| (\w+) \| ([^|]*)\| (\w+) \| (.*) \|$", page, re.M)}
        self.assertEqual(list(rows), list(options))
        for name, option in options.items():
            sides = option.get("x-mqb-sides", ["both"])
            side = {"publisher": "output", "consumer": "input", "both": "both"}[sides[0]]
            self.assertEqual(rows[name][3:], (side, option["description"]), name)


if __name__ == "__main__":
    bridge.main()
