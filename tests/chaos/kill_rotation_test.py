"""kill -9 at random moments while a group follows a file that is renamed and cut again and again: nothing missing, repeats bounded."""
import os
import random
import shutil
import signal
import threading
import time

import bridge

LONG = bool(os.environ.get("MQB_LONG"))
KILLS = 100 if LONG else 6
FILES = 400 if LONG else 40  # rotations
LINES = 2000  # of each file
BATCH = 512
ROUTE = """
flow:
  batch_size: {batch}
  exit_on_empty: {ends}
  empty_batch_delay_ms: 1
  input: {{file: {{path: in.log, format: raw, mode: group_subscribe, group_id: g, read_from_tail: {tail}}}}}
  output: {{file: {{path: out.txt, format: raw}}}}
"""


class KillRotation(bridge.Case):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)
        self.failed = None

    def written(self):
        path = self.folder / "out.txt"
        return os.path.getsize(path) if path.exists() else 0

    def rotate(self, keep):
        """What a log rotator does: in.log becomes in.log.1 and so on."""
        for number in range(keep, 0, -1):
            before = self.folder / ("in.log" if number == 1 else f"in.log.{number - 1}")
            if before.exists():
                before.rename(self.folder / f"in.log.{number}")

    def write_all(self, copies):
        try:
            number, rng = 0, random.Random(self.random.random())
            if not self.is_tail:
                (self.folder / "in.log").touch()
            self.until((self.folder / "in.log.g.offset").exists)  # the group has begun, with the first file or before it
            for _ in range(FILES):
                with open(self.folder / "in.log", "ab", buffering=0) as file:
                    left = LINES
                    while left > 0:
                        some = min(left, rng.randrange(1, 200))
                        file.write(b"".join(b"%08d %s\n" % (n, b"x" * (n % 83)) for n in range(number, number + some)))
                        number, left = number + some, left - some
                        time.sleep(0.0005)
                if copies:
                    for old in range(FILES, 1, -1):
                        if (self.folder / f"in.log.{old - 1}").exists():
                            (self.folder / f"in.log.{old - 1}").rename(self.folder / f"in.log.{old}")
                    # The copy has its name when it is whole.
                    shutil.copyfile(self.folder / "in.log", self.folder / "copy")
                    (self.folder / "copy").rename(self.folder / "in.log.1")
                    os.truncate(self.folder / "in.log", 0)
                else:
                    self.rotate(FILES)
            (self.folder / "in.log").touch()
            self.number = number
        except BaseException as error:  # told by the test's own thread
            self.failed = error
        self.done = True

    def kill_while_it_rotates(self, copies, is_tail=False):
        self.is_tail = is_tail
        self.number, self.done = None, False
        writer = threading.Thread(target=self.write_all, args=(copies,))
        writer.start()
        self.addCleanup(writer.join)
        self.write("routes.yaml", ROUTE.format(batch=BATCH, ends="false", tail=str(is_tail).lower()))
        kills = 0
        if is_tail:  # killed before there is a file, and not there for its first lines
            running = self.start("run", "routes.yaml")
            self.until((self.folder / "in.log.g.offset").exists)
            running.process.send_signal(signal.SIGKILL)
            self.assertEqual(running.end(), -signal.SIGKILL, running.text)
            self.until(lambda: self.done or (self.folder / "in.log.1").exists())
            kills += 1
        self.until(lambda: self.done or (self.folder / "in.log").exists())
        while kills < KILLS and not self.done:
            running = self.start("run", "routes.yaml")
            wanted = self.written() + self.random.randrange(1, 2 * FILES * LINES * 50 // KILLS)
            until = time.monotonic() + bridge.PATIENCE
            while self.written() < wanted and not self.done and running.process.poll() is None:
                self.assertLess(time.monotonic(), until, running.text)
                time.sleep(0.0005)
            running.process.send_signal(signal.SIGKILL)
            self.assertEqual(running.end(), -signal.SIGKILL, running.text)
            kills += 1
        writer.join()
        if self.failed:
            raise self.failed
        self.write("routes.yaml", ROUTE.format(batch=BATCH, ends="true", tail=str(is_tail).lower()))
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_exact(running.ledgers()["flow"])

        seen, repeats, expected = bytearray(self.number), [], 0
        with open(self.folder / "out.txt", "rb") as file:
            for text in file:
                number = int(text[:8])
                self.assertEqual(text, b"%08d %s\n" % (number, b"x" * (number % 83)))
                if number != expected:
                    self.assertLess(number, expected)  # only ever back
                    repeats.append(expected - number)
                seen[number] = 1
                expected = number + 1
        self.assertEqual((seen.count(0), expected), (0, self.number))
        self.assertLessEqual(len(repeats), kills)
        self.assertLessEqual(max(repeats, default=0), BATCH * 10)
        print(f"{kills} kills, {FILES} files, {self.number} lines: 0 missing, {sum(repeats)} repeated, at most {max(repeats, default=0)} by one kill")

    def test_nothing_is_missing_of_files_that_are_renamed(self):
        self.kill_while_it_rotates(copies=False)

    def test_nothing_is_missing_of_a_file_that_is_copied_and_cut(self):
        self.kill_while_it_rotates(copies=True)

    def test_nothing_is_missing_at_the_tail_of_a_group_that_began_without_a_file(self):
        for copies in (False, True):
            with self.subTest(copies=copies):
                self.kill_while_it_rotates(copies, is_tail=True)
                for path in self.folder.iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    bridge.main()
