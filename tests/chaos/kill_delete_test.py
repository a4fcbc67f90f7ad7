"""kill -9 and SIGTERM at random moments while a reader deletes what it has read of a file to which another program appends."""
import os
import random
import signal
import threading
import time

import bridge

LONG = bool(os.environ.get("MQB_LONG"))
LINES = 1_000_000 if LONG else 100_000
KILLS = 100 if LONG else 8
BATCH = 512
ROUTE = """
flow:
  batch_size: {batch}
  exit_on_empty: {ends}
  empty_batch_delay_ms: 1
  input: {{file: {{path: in.txt, format: raw, delete: true}}}}
  output: {{file: {{path: out.txt, format: raw}}}}
"""


def line(number):
    return b"%08d %s\n" % (number, b"x" * (number * 7 % 331))


class KillDelete(bridge.Case):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)

    def written(self):
        path = self.folder / "out.txt"
        return os.path.getsize(path) if path.exists() else 0

    def kill_while_it_is_read(self, appends, signals):
        begin = LINES // 2 if appends else LINES
        with open(self.folder / "in.txt", "wb") as file:
            file.writelines(map(line, range(begin)))
        (self.folder / "in.txt").chmod(0o640)

        def append():
            # Opens the file for each write, as it is asked to.
            for number in range(begin, LINES, 50):
                with open(self.folder / "in.txt", "ab", buffering=0) as file:
                    file.write(b"".join(map(line, range(number, min(number + 50, LINES)))))

        writer = threading.Thread(target=append)
        total = sum(len(line(n)) for n in range(LINES))
        self.write("routes.yaml", ROUTE.format(batch=BATCH, ends="false"))
        if appends:
            writer.start()
            self.addCleanup(writer.join)
        kills = 0
        while kills < KILLS and self.written() < total:
            running = self.start("run", "routes.yaml")
            wanted = min(self.written() + self.random.randrange(1, 2 * total // KILLS), total)
            until = time.monotonic() + bridge.PATIENCE
            while self.written() < wanted:
                self.assertLess(time.monotonic(), until, running.text)
                time.sleep(0.0002)
            running.process.send_signal(signals)
            code = running.end()
            self.assertIn(code, (-signal.SIGKILL,) if signals == signal.SIGKILL else (0, 1), running.text)
            kills += 1
        if appends:
            writer.join()
        self.write("routes.yaml", ROUTE.format(batch=BATCH, ends="true"))
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_exact(running.ledgers()["flow"])

        seen, repeats, expected = bytearray(LINES), [], 0
        with open(self.folder / "out.txt", "rb") as file:
            for text in file:
                number = int(text[:8])
                self.assertEqual(text, line(number))
                if number != expected:
                    self.assertLess(number, expected)
                    repeats.append(expected - number)
                seen[number] = 1
                expected = number + 1
        self.assertEqual((seen.count(0), expected), (0, LINES))
        self.assertLessEqual(max(repeats, default=0), BATCH * 10)
        self.assertEqual((self.folder / "in.txt").read_bytes(), b"")
        self.assertEqual((self.folder / "in.txt").stat().st_mode & 0o7777, 0o640)
        self.assertEqual(sorted(path.name for path in self.folder.glob("in.txt*")), ["in.txt"])
        print(f"{kills} signals, {LINES} lines: 0 missing, {sum(repeats)} repeated, at most {max(repeats, default=0)} by one")
        return repeats

    def test_nothing_is_missing_after_kills(self):
        self.kill_while_it_is_read(False, signal.SIGKILL)

    def test_nothing_is_missing_after_kills_while_another_program_appends(self):
        self.kill_while_it_is_read(True, signal.SIGKILL)

    def test_nothing_is_missing_or_repeated_after_sigterm(self):
        self.assertEqual(self.kill_while_it_is_read(False, signal.SIGTERM), [])


if __name__ == "__main__":
    bridge.main()
