"""kill -9 of the writing or the reading process at random moments, a reader that stands still, and bytes that are no frames: with `ack: true`
nothing is missing and nothing torn."""
import os
import pathlib
import random
import re
import signal
import struct
import time

import bridge
import ipc

LONG = bool(os.environ.get("MQB_LONG"))
LINES = 1_000_000 if LONG else 60_000
KILLS = 50 if LONG else 6
BAD = 150
BATCH = 512
WINDOW = 8
WRITER = f"  batch_size: {BATCH}\n  send_window: {WINDOW}\n"
# Slower than its writer, so that there is always something in the socket to lose.
READER = "  batch_size: 16\n  reconnect_interval_ms: 200\n"


def line(number):
    """A line says its number twice, so that half a line and two lines in one are seen."""
    return b"%07d %s %07d\n" % (number, b"x" * (number * 7 % 61), number)


class KillIpc(ipc.Case):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)

    def begin(self):
        writer = self.writer(b"".join(map(line, range(LINES))), ack=True, more=WRITER + "  exit_on_empty: true\n")
        self.write("w.yaml", writer)
        self.write("r.yaml", self.reader(self.folder / "out.txt", ack=True, more=READER))
        self.size = (self.folder / "in.txt").stat().st_size

    def start_writer(self):
        return self.start("run", "w.yaml", "--state-dir", "state-w")

    def start_reader(self):
        # Each has a folder for its summary.
        folder = self.folder / "reader"
        folder.mkdir(exist_ok=True)
        running = bridge.Running(folder, ["run", "../r.yaml", "--state-dir", "state-r"])
        self.addCleanup(running.close)
        return running

    def written(self):
        path = self.folder / "out.txt"
        return path.stat().st_size if path.exists() else 0

    def until_written(self, size, *running):
        """False when one of those has ended before."""
        until = time.monotonic() + bridge.PATIENCE
        while self.written() < size:
            if any(one.process.poll() is not None for one in running):
                return False
            self.assertLess(time.monotonic(), until, running[0].text)
            time.sleep(0.0005)
        return True

    def finish(self, writer, reader):
        self.assertEqual(writer.end(), 0, writer.text)
        ledger = writer.ledgers()["writer"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["state"], ledger["received"]), ("completed", ledger["delivered"]))
        self.assertEqual(int((self.folder / "in.txt.g.offset").read_text()), self.size)
        reader.process.terminate()
        self.assertEqual(reader.end(), 0, reader.text)
        self.assert_exact(reader.ledgers()["reader"])

    def count(self):
        """How often each line is in the output; each is one that was in the input."""
        counts = bytearray(LINES)
        with open(self.folder / "out.txt", "rb") as file:
            for text in file:
                self.assertRegex(text, rb"^\d{7} ")
                number = int(text[:7])
                self.assertEqual(text, line(number))
                counts[number] += 1
        return counts

    def test_nothing_is_missing_or_torn_after_kills_of_either_side(self):
        self.begin()
        running = {"w": self.start_writer(), "r": self.start_reader()}
        kills = {"w": 0, "r": 0}
        while sum(kills.values()) < KILLS:
            left = self.size - self.written()
            wanted = self.written() + self.random.randrange(max(1, 2 * left // (KILLS - sum(kills.values()) + 1)))
            if not self.until_written(wanted, *running.values()):
                break
            victim = self.random.choice("wr")
            running[victim].process.kill()
            if running[victim].end() != -signal.SIGKILL:
                break
            kills[victim] += 1
            running[victim] = self.start_writer() if victim == "w" else self.start_reader()
        if running["w"].process.poll() is not None:  # it was through before the last kill
            self.assertEqual(running["w"].end(), 0, running["w"].text)
            running["w"] = self.start_writer()
        self.finish(running["w"], running["r"])
        self.assertGreaterEqual(sum(kills.values()), KILLS // 2)
        counts = self.count()
        repeats = sum(counts) - LINES
        self.assertEqual(counts.count(0), 0)
        self.assertLessEqual(repeats, sum(kills.values()) * BATCH * (WINDOW + 2))
        print(f"{kills['w']} kills of the writer, {kills['r']} of the reader, {LINES} lines: 0 missing, 0 torn, {repeats} repeated")

    def test_a_reader_that_stands_still_costs_no_memory_and_no_message(self):
        self.begin()
        reader = self.start_reader()
        self.until_listening()
        writer = self.start_writer()
        self.assertTrue(self.until_written(self.size // 4, reader, writer), writer.text)
        reader.process.send_signal(signal.SIGSTOP)
        try:
            self.assertTrue(writer.wait_for(r"s\.sock: (5 s without a confirmation|a send has been blocked for 5 s)"), writer.text)
            peak = int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{writer.process.pid}/status").read_text())[1])
        finally:
            reader.process.send_signal(signal.SIGCONT)
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(peak, 64 << 10)
        self.finish(writer, reader)
        self.assertEqual(set(self.count()), {1})


class Garbage(ipc.Case):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)

    def bad_bytes(self, kind):
        rnd = self.random
        good = ipc.frame(*(ipc.message("7", b"bad", {"k": "v", "other": "w" * 40}) for _ in range(rnd.randrange(1, 20))))
        if kind == 0:
            return rnd.randbytes(rnd.randrange(1, 2000))  # no frame
        if kind == 1:
            body = rnd.randbytes(rnd.randrange(1, 2000))  # a frame of garbage
            return struct.pack(">I", len(body)) + body
        if kind == 2:
            return good[:rnd.randrange(1, len(good))]  # a frame that is cut
        if kind == 3:
            changed = bytearray(good)
            for _ in range(rnd.randrange(1, 8)):
                changed[rnd.randrange(len(changed))] = rnd.randrange(256)
            return bytes(changed)
        if kind == 4:  # counts and sizes that the frame could not hold
            body = rnd.choice([b"\xdd\xff\xff\xff\xff", b"\x91\xdd\xff\xff\xff\xff", b"\x91\x93\xdb\xff\xff\xff\xff", b"\x91\x93\xa1x\xc6\xff\xff\xff\xff",
                               b"\x91\x93\xa1x\xc4\x00\xdf\xff\xff\xff\xff", b"\x91" * 5000, b"\x81" * 5000]) + rnd.randbytes(20)
            return struct.pack(">I", len(body)) + body
        entries = b"".join(b"\xa7%07d\xa0" % n for n in range(1_000_000))
        body = b"\x91\x93\xa1x\xc4\x03bad\xdf" + struct.pack(">I", 1_000_000) + entries
        return struct.pack(">I", len(body)) + body

    def test_what_is_no_frame_ends_its_own_connection_and_nothing_else(self):
        running = self.run_routes("r.yaml", self.reader(), "state")
        self.until_listening()
        second = self.run_routes("r2.yaml", self.reader("other.txt", "  reconnect_interval_ms: 60000\n"), "state2")
        self.assertTrue(second.wait_for("s.sock is in use: another consumer listens there"))
        good = self.connect()
        sent = []
        for turn in range(BAD):
            sent += [b"good %06d.%d" % (turn, k) for k in range(3)]
            good.sendall(ipc.frame(*(ipc.message("7", one) for one in sent[-3:])))
            peer = self.connect()
            try:
                peer.sendall(self.bad_bytes(5 if turn == BAD // 2 else turn % 5))
            except (BrokenPipeError, ConnectionResetError):
                pass  # it was told before all was sent
            peer.close()
            running._read(0)  # lines that nobody reads are lost
        good.close()
        self.until(lambda: sum(one.startswith(b"good ") for one in self.lines()) >= len(sent))
        self.assertIsNone(running.process.poll())
        self.assertTrue(running.wait_for(r"process \d+: frame 1 of it is bad: message 1 of 1 has 1000000 metadata entries; at most 4096"))
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)
        self.assertEqual([one for one in self.lines() if one.startswith(b"good ")], sent)
        # One line for each of them at most: a change may have made another frame of it, or none.
        told = re.findall(r"process \d+: .*: the connection is closed", running.text)
        self.assertLessEqual(len(told), BAD)
        self.assertGreater(len(told), BAD // 2)
        self.assertEqual(len(re.findall("is in use", second.text)), 1)
        second.process.terminate()
        second.end()


if __name__ == "__main__":
    bridge.main()
