"""Sockets between processes: who may listen, what is refused, what the peer's frames are, and what is lost when somebody dies."""
import os
import pathlib
import re
import signal
import socket
import stat
import struct

import bridge
import ipc
from ipc import HELLO, frame, message

UUID = "0199f3ab-0000-7000-8000-000000000001"


class Listening(ipc.Case):
    def test_C071_a_path_that_a_killed_process_left_is_taken_over_and_removed_at_the_end(self):
        first = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        first.process.kill()
        first.end()
        self.assertTrue(self.path.exists())
        second = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()
        self.connect().sendall(frame(message(UUID, b"hello")))
        self.until(lambda: self.lines() == [b"hello"])
        second.process.terminate()
        self.assertEqual(second.end(), 0, second.text)
        self.assertEqual([p.name for p in self.folder.glob("s.sock*")], [])

    def test_C071_a_second_listener_is_told_and_the_first_keeps_its_publishers(self):
        first = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()
        peer = self.connect()
        peer.sendall(frame(message(UUID, b"one")))
        self.until(lambda: self.lines() == [b"one"])
        second = self.run_routes("r2.yaml", self.reader("other.txt", "  reconnect_interval_ms: 50\n"), "state2")
        self.assertTrue(second.wait_for("s.sock is in use: another consumer listens there"))
        peer.sendall(frame(message(UUID, b"two")))
        self.until(lambda: self.lines() == [b"one", b"two"])
        # When the first goes, the other one has it.
        first.process.terminate()
        self.assertEqual(first.end(), 0, first.text)
        self.until_listening()
        self.connect().sendall(frame(message(UUID, b"three")))
        self.until(lambda: self.lines("other.txt") == [b"three"])
        second.process.terminate()
        self.assertEqual(second.end(), 0, second.text)

    def test_C071_what_is_no_socket_stays_as_it_is(self):
        self.path.write_text("precious")
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.assertEqual(running.end(), 1)
        self.assertIn("s.sock is a regular file, not a socket: move it away", running.text)
        self.assertEqual(self.path.read_text(), "precious")

    def test_C071_a_path_that_is_too_long_is_told_with_the_limit(self):
        self.path = self.folder / ("x" * 120)
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.assertEqual(running.end(), 2)
        self.assertRegex(running.text, r'x{120}" has \d+ bytes; a socket path has at most 107')

    def test_C071_of_two_that_start_at_once_one_listens(self):
        routes = "  startup_timeout_ms: 60000\n  reconnect_interval_ms: 60000\n"
        for turn in range(50 if os.environ.get("MQB_LONG") else 5):
            with self.subTest(turn):
                both = [self.run_routes(f"r{k}.yaml", self.reader(f"out{k}.txt", routes), f"state{k}") for k in range(2)]
                self.until_listening()
                self.connect().sendall(frame(message(UUID, b"%d" % turn)))
                self.until(lambda: len(self.lines("out0.txt")) + len(self.lines("out1.txt")) == turn + 1)
                for one in both:
                    one.process.terminate()
                    one.end()
                self.assertFalse(self.path.exists())


class Frames(ipc.Case):
    def test_frames_of_the_peer_are_read(self):
        reader = self.reader().replace("format: raw", "format: normal")
        running = self.run_routes("r.yaml", reader, "state")
        self.until_listening()
        self.connect().sendall(frame(message(UUID, b'{"v":1}', {"order": "o1", "part": "a"}), message("7", b"x")) + struct.pack(">I", 0)
                               + frame(message(UUID, b"\x00\xff", {})))
        self.until(lambda: len(self.lines()) == 3)
        self.assertEqual(self.lines(), [
            f'{{"message_id":"{UUID}","payload":"{{\\"v\\":1}}","metadata":{{"order":"o1","part":"a"}}}}'.encode(),
            b'{"message_id":"00000000-0000-0000-0000-000000000007","payload":"x"}',
            f'{{"message_id":"{UUID}","payload_base64":"AP8="}}'.encode()])
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_what_is_sent_is_a_frame_of_the_peer(self):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(self.path))
        listener.listen()
        listener.settimeout(bridge.PATIENCE)
        lines = f'{{"message_id":"{UUID}","payload":"{{\\"v\\":1}}","metadata":{{"order":"o1"}}}}\n{{"message_id":"7","payload":"x"}}\n'
        writer = self.writer(lines.encode(), more="  exit_on_empty: true\n").replace("format: raw", "format: normal")
        running = self.run_routes("w.yaml", writer, "state")
        peer, _ = listener.accept()
        self.addCleanup(peer.close)
        peer.settimeout(bridge.PATIENCE)
        self.assertEqual(self.take(peer), frame(message(UUID, b'{"v":1}', {"order": "o1"}),
                                                message("00000000-0000-0000-0000-000000000007", b"x"))[4:])
        self.assertEqual(running.end(), 0, running.text)
        self.assertIsNone(self.take(peer))

    def test_C072_forged_lengths_cost_nothing_and_are_told(self):
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()

        def memory():
            text = pathlib.Path(f"/proc/{running.process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+)", text)[1])
        good = self.connect()
        good.sendall(frame(message(UUID, b"first")))
        self.until(lambda: self.lines() == [b"first"])
        before = memory()
        bad = []
        for k in range(100):
            peer = self.connect()
            peer.sendall(struct.pack(">I", (0xffffffff, 0x7fffffff, 0x80000000, (100 << 20) + 1)[k % 4]) + b"0123456789")
            bad.append(peer)
        sent = [b"%04d" % k for k in range(1000)]
        for k in range(0, 1000, 10):
            good.sendall(frame(*(message(UUID, one) for one in sent[k:k + 10])))
        for peer in bad:
            self.assertEqual(peer.recv(1), b"")  # closed
        self.until(lambda: self.lines() == [b"first"] + sent)
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(memory() - before, 16 << 10)
        self.assertTrue(running.wait_for(r"process \d+: it announced a frame of 4294967295 bytes; the limit is 104857600"))
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_bad_frames_end_their_connection_and_no_other(self):
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()
        for body in (b"\x91", b"\x91\x93\xa1x\xc4\x01", b"\xc0", b"\x91\x92\x07\x07", b"\xdd\xff\xff\xff\xff", os.urandom(100)):
            peer = self.connect()
            peer.sendall(struct.pack(">I", len(body)) + body)
            self.assertEqual(peer.recv(1), b"", body)
        self.connect().sendall(frame(message(UUID, b"fine")))
        self.until(lambda: self.lines() == [b"fine"])
        self.assertTrue(running.wait_for(r"process \d+: frame 1 of it is bad: "))
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)


class Dying(ipc.Case):
    def test_C074_a_reader_that_is_killed_costs_nothing_with_confirmations(self):
        lines = [b"%d" % n for n in range(1, 1001)]
        writer = self.run_routes("w.yaml", self.writer(b"".join(b"%s\n" % one for one in lines), ack=True, more="  batch_size: 20\n"), "state")
        slow = "  batch_size: 10\n"
        for kill_at in (200, 600):
            reader = self.run_routes("r.yaml", self.reader(more=slow, ack=True), "state2")
            self.until(lambda: len(self.lines()) >= kill_at)
            reader.process.kill()
            reader.end()
        reader = self.run_routes("r.yaml", self.reader(more=slow, ack=True), "state2")
        self.until(lambda: set(lines) <= set(self.lines()))
        self.assertIsNone(writer.process.poll())
        writer.process.terminate()
        self.assertEqual(writer.end(), 0, writer.text)
        reader.process.terminate()
        self.assertEqual(reader.end(), 0, reader.text)
        # What came twice is what was under way at a kill.
        self.assertLess(len(self.lines()), 1000 + 2 * 20 * 10 + 1)

    def test_what_a_reader_has_settled_of_a_frame_does_not_come_again(self):
        lines = b"".join(b"%d\n" % n for n in range(100))
        self.write("stop.json", '[' + '{},' * 30 + '{"answer": "never"}]')
        output = "{scripted: {script: stop.json, log: log.txt}}"
        reader = self.reader(ack=True, more="  batch_size: 10\n  shutdown_timeout_ms: 500\n").replace("{file: {path: out.txt, format: raw}}", output)
        first = self.run_routes("r.yaml", reader, "state2")
        writer = self.run_routes("w.yaml", self.writer(lines, ack=True), "state")
        self.until(lambda: (self.folder / "log.txt").exists() and b" send 30" in (self.folder / "log.txt").read_bytes())
        first.process.terminate()
        first.end()
        self.assertEqual(first.ledgers()["reader"]["delivered"], 90)  # the send that was cancelled has the rest
        second = self.run_routes("r.yaml", self.reader(ack=True), "state2")
        self.until(lambda: len(self.lines()) >= 10)
        writer.process.terminate()
        self.assertEqual(writer.end(), 0, writer.text)
        second.process.terminate()
        self.assertEqual(second.end(), 0, second.text)
        self.assertEqual(self.lines(), lines.splitlines()[30:40])

    def test_a_publisher_that_wants_confirmations_is_not_served_by_one_that_knows_none(self):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(self.path))
        listener.listen()
        listener.settimeout(bridge.PATIENCE)
        writer = self.run_routes("w.yaml", self.writer(b"1\n", ack=True, more="  shutdown_timeout_ms: 300\n"), "state")
        peer, _ = listener.accept()
        peer.settimeout(bridge.PATIENCE)
        self.assertEqual(self.take(peer), HELLO)
        peer.close()
        self.assertTrue(writer.wait_for("without an answer to the request for confirmations: it is none of ours"))
        writer.process.terminate()
        writer.end()

    def test_a_writer_without_a_reader_waits_for_one(self):
        waiting = self.run_routes("w.yaml", self.writer(b"1\n"), "state")
        self.assertTrue(waiting.wait_for(r"nobody listens at .*s.sock \(No such file or directory\): start the consumer"))
        reader = self.run_routes("r.yaml", self.reader(), "state2")
        self.until(lambda: self.lines() == [b"1"])
        for one in (waiting, reader):
            one.process.send_signal(signal.SIGTERM)
            self.assertEqual(one.end(), 0, one.text)


class Channel(ipc.Case):
    """Between two routes of one process."""

    def routes(self, ack, output):
        return (f"first:\n  shutdown_timeout_ms: 1000\n  input: {{file: {{path: in.txt, format: raw, mode: group_subscribe, group_id: g}}}}\n"
                f"  output: {{memory: {{topic: t, capacity: 10, ack: {str(ack).lower()}}}}}\n"
                f"second:\n  batch_size: 50\n  input: {{memory: {{topic: t}}}}\n  output: {output}\n")

    def setUp(self):
        super().setUp()
        self.count = 5000
        self.all = [b"%d" % n for n in range(self.count)]
        (self.folder / "in.txt").write_bytes(b"".join(b"%s\n" % one for one in self.all))

    def test_C075_a_stop_loses_nothing(self):
        for ack in (False, True):
            with self.subTest(ack=ack):
                (self.folder / "in.txt.g.offset").unlink(missing_ok=True)
                (self.folder / "out.txt").unlink(missing_ok=True)
                self.write("r.yaml", self.routes(ack, "{file: {path: out.txt, format: raw}}"))
                for _ in range(3):
                    running = self.start("run", "r.yaml")
                    self.assertTrue(running.wait_for("second: memory to file"))
                    running.process.terminate()
                    self.assertEqual(running.end(), 0, running.text)
                    first, second = running.ledgers()["first"], running.ledgers()["second"]
                    self.assertEqual((first["delivered"], second["state"]), (second["delivered"], "stopped"))
                done = self.bridge("run", "r.yaml", "--drain")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.lines(), self.all)

    def test_a_channel_that_cannot_be_emptied_in_time_is_left(self):
        self.write("slow.json", '[{"delay_ms": 1500}]')
        self.write("r.yaml", self.routes(False, "{scripted: {script: slow.json, log: log.txt}}").replace(
            "second:\n", "second:\n  shutdown_timeout_ms: 500\n  batch_size: 1\n").replace("  batch_size: 50\n", ""))
        running = self.start("run", "r.yaml")
        self.until(lambda: (self.folder / "log.txt").exists())
        running.process.terminate()
        running.end()
        for ledger in running.ledgers().values():
            self.assert_exact(ledger)

    def test_C075_a_kill_loses_nothing_when_senders_are_acknowledged_through_the_channel(self):
        self.write("r.yaml", self.routes(True, "{file: {path: out.txt, format: raw}}"))
        for turn in range(3):
            running = self.start("run", "r.yaml")
            self.until(lambda: len(self.lines()) > turn * 1000)
            running.process.kill()
            running.end()
        done = self.bridge("run", "r.yaml", "--drain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(set(self.lines())), sorted(self.all))

    def test_C075_a_reader_that_fails_for_good_slows_the_writer_down(self):
        self.write("no.json", '[{"answer": "refused", "text": "never"}]')
        self.write("r.yaml", self.routes(True, "{scripted: {script: no.json, log: log.txt}}").replace("second:\n", "second:\n  on_error: stop\n"))
        running = self.start("run", "r.yaml")
        self.assertTrue(running.wait_for("second: failed"))
        running.process.terminate()
        self.assertEqual(running.end(), 1)
        ledger = running.ledgers()["first"]
        self.assert_exact(ledger)
        self.assertLessEqual(ledger["delivered"], 50)


if __name__ == "__main__":
    bridge.main()
