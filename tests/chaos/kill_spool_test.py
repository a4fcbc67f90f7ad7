"""kill -9 of either side at random moments while one process hands messages to another through a spool: nothing missing, nothing torn."""
import math
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import bridge

LONG = bool(os.environ.get("MQB_LONG"))
LINES = 1_000_000 if LONG else 20_000
SYNCED_LINES = 20_000 if LONG else 1_000
KILLS = 50 if LONG else 6
BATCH = 64
WINDOW = 8
MOUNTS = os.environ.get("MQB_TEST_MOUNTS") == "1"
FILL = """
fill:
  exit_on_empty: true
  batch_size: %(batch)d
  send_window: %(window)d
  input: {file: {path: in.txt, format: raw, mode: group_subscribe, group_id: g}}
  output: {dir_spool: {path: spool, emit_done: success, %(spool)s}}
"""
EMPTY = """
empty:
  batch_size: %(batch)d
  send_window: %(window)d
  input: {dir_spool: {path: spool, stop_on_done: true, poll_interval_ms: 5, %(spool)s}}
  output: {file: {path: out.txt, format: raw}}
"""


def line(number):
    """A line says its number twice, so that half a line and two lines in one are seen."""
    return b"%07d %s %07d\n" % (number, b"x" * (number * 7 % 61), number)


class KillSpool(bridge.Case):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)
        self.spool = self.folder / "spool"
        self.sides = {}
        self.kills = {"fill": 0, "empty": 0}

    def prepare(self, lines, spool):
        self.lines = lines
        with open(self.folder / "in.txt", "wb") as file:
            file.writelines(map(line, range(lines)))
        self.size = os.path.getsize(self.folder / "in.txt")
        values = {"batch": BATCH, "window": WINDOW, "spool": spool}
        self.write("fill.yaml", FILL % values)
        self.write("empty.yaml", EMPTY % values)

    def launch(self, side):
        folder = self.folder
        running = bridge.Running(folder, ["run", f"{side}.yaml", "--state-dir", f"state-{side}"], summary=False)
        self.addCleanup(running.close)
        self.sides[side] = running
        return running

    def passed(self, side):
        """How many bytes this side has behind it."""
        try:
            if side == "fill":
                return int((self.folder / "in.txt.g.offset").read_text())
            return os.path.getsize(self.folder / "out.txt")
        except FileNotFoundError:
            return 0

    def read_on(self):
        """Nobody may wait for us to read what it says."""
        for running in self.sides.values():
            running._read(time.monotonic())

    def let_pass(self, side, wanted, pause):
        """Until the side has come so far, or has ended: how long that takes is up to the disk, as long as it comes farther."""
        running, before, until = self.sides[side], None, 0
        while running.process.poll() is None and (now := self.passed(side)) < wanted:
            if now != before:
                before, until = now, time.monotonic() + bridge.PATIENCE
            self.assertLess(time.monotonic(), until, running.text)
            self.read_on()
            time.sleep(pause)

    def kill_one(self, side, most):
        """Kills the side when it has come a random share farther; False if it has ended before."""
        running = self.sides[side]
        self.let_pass(side, self.passed(side) + self.random.randrange(max(1, most)), 0.0005)
        if running.process.poll() is not None:
            return False
        running.process.kill()
        self.assertEqual(running.end(), -signal.SIGKILL)
        return True

    def finish(self):
        for side in ("fill", "empty"):
            running = self.sides[side]
            self.let_pass(side, math.inf, 0.01)
            self.assertEqual(running.end(), 0, running.text)
        self.assertEqual(self.passed("fill"), self.size)
        # A reader that dies while it deletes a chunk leaves its sidecar, which the next producer takes away.
        left = [p.name for p in self.spool.rglob("*") if p.is_file() and p.name != "DONE"]
        self.assertLessEqual(len(left), self.kills["empty"])
        self.assertEqual([name for name in left if not name.endswith(".json")], [])
        for side in ("fill", "empty"):
            running = self.launch(side)
            self.assertEqual(running.end(), 0, running.text)
        self.assertEqual([p.name for p in self.spool.iterdir()], ["DONE"])

    def check(self, kills):
        seen, repeats, expected = bytearray(self.lines), [], 0
        with open(self.folder / "out.txt", "rb") as file:
            for text in file:
                self.assertRegex(text, rb"^\d{7} ")
                number = int(text[:7])
                self.assertEqual(text, line(number))
                if number != expected:
                    # Only ever back, to what had not been acknowledged.
                    self.assertLess(number, expected)
                    repeats.append(expected - number)
                seen[number] = 1
                expected = number + 1
        self.assertEqual(seen.count(0), 0)
        self.assertEqual(expected, self.lines)
        self.assertLessEqual(len(repeats), kills)
        self.assertLessEqual(max(repeats, default=0), 2 * BATCH * (WINDOW + 2))
        print(f"{kills} kills, {self.lines} messages: 0 missing, 0 torn, {sum(repeats)} repeated, at most {max(repeats, default=0)} by one kill")

    def kill_both_sides(self, count):
        for side in ("fill", "empty"):
            self.launch(side)
        for n in range(count):
            side = self.random.choice(("fill", "empty"))
            if not self.kill_one(side, 2 * (self.size - self.passed(side)) // (count - n + 1)):
                continue
            self.kills[side] += 1
            self.launch(side)
        self.finish()
        self.assertGreaterEqual(sum(self.kills.values()), count // 3, self.kills)
        print(f"killed: {self.kills}")
        return sum(self.kills.values())

    def test_nothing_is_missing_or_torn_after_kills_of_either_side(self):
        self.prepare(LINES, "fsync: 'off'")
        self.check(self.kill_both_sides(KILLS))

    def test_the_same_with_shards_and_everything_on_the_disk(self):
        self.prepare(SYNCED_LINES, "fsync: chunk, shard_depth: 2, shard_width: 3")
        self.check(self.kill_both_sides(KILLS))

    @unittest.skipUnless(MOUNTS, "needs root and mounts")
    def test_the_same_with_a_disk_that_is_full_most_of_the_time(self):
        self.prepare(SYNCED_LINES, "fsync: 'off'")
        self.spool.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(self.spool)], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(self.spool)], check=True)
        self.launch("fill")
        self.assertTrue(self.sides["fill"].wait_for("No space left on device"))
        # What the producer says it has handed over is there, whole, and a kill changes nothing about that.
        self.sides["fill"].process.kill()
        self.assertEqual(self.sides["fill"].end(), -signal.SIGKILL)
        handed_over = self.passed("fill")
        there = b"".join((self.spool / name).read_bytes() + b"\n" for name in sorted(os.listdir(self.spool)) if name.endswith(".bin"))
        with open(self.folder / "in.txt", "rb") as file:
            self.assertEqual(there[:handed_over], file.read(handed_over))
        self.check(1 + self.kill_both_sides(KILLS))

    def test_a_reader_that_is_stopped_holds_its_claim_and_goes_on_where_it_was(self):
        self.prepare(SYNCED_LINES, "fsync: 'off'")
        self.launch("fill")
        reader = self.launch("empty")
        until = time.monotonic() + bridge.PATIENCE
        while self.passed("empty") == 0:
            self.assertLess(time.monotonic(), until)
            self.read_on()
        reader.process.send_signal(signal.SIGSTOP)
        self.addCleanup(reader.process.send_signal, signal.SIGCONT)
        fill = self.sides["fill"]
        self.assertEqual(fill.end(), 0, fill.text)
        second = bridge.Running(self.folder, ["run", "empty.yaml", "--state-dir", "state-second"], summary=False)
        self.addCleanup(second.close)
        self.assertEqual(second.end(), 1)
        self.assertIn(f"has a consumer already: process {reader.process.pid} holds", second.text)
        reader.process.send_signal(signal.SIGCONT)
        self.assertEqual(reader.end(), 0, reader.text)
        self.check(0)


def in_a_namespace_of_its_own():
    """Mounts of the test are nobody else's, and gone with it."""
    if MOUNTS or os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        return
    os.environ["MQB_TEST_MOUNTS"] = "1"
    os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


if __name__ == "__main__":
    in_a_namespace_of_its_own()
    bridge.main()
