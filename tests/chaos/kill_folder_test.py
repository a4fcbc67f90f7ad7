"""kill -9 at random moments while a group reads the files of a folder, of which new ones come and old ones grow: nothing missing."""
import os
import random
import signal
import threading
import time

import bridge

LONG = bool(os.environ.get("MQB_LONG"))
FILES = 1000 if LONG else 100
LINES = 1000
KILLS = 100 if LONG else 8
BATCH = 512
ROUTE = """
flow:
  batch_size: {batch}
  exit_on_empty: {ends}
  empty_batch_delay_ms: 1
  input: {{file: {{path: days/*.txt, format: raw, mode: group_subscribe, group_id: g}}}}
  output: {{file: {{path: out.txt, format: raw}}}}
"""


def line(file, number):
    return b"%04d %06d %s\n" % (file, number, b"x" * (number % 67))


class KillFolder(bridge.Case):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)

    def written(self):
        path = self.folder / "out.txt"
        return os.path.getsize(path) if path.exists() else 0

    def write_all(self):
        rng = random.Random(self.random.random())
        next_line = [0] * FILES
        open_files = list(range(FILES))
        while open_files:
            file = rng.choice(open_files[:20])
            count = min(rng.randrange(1, 300), LINES - next_line[file])
            with open(self.folder / "days" / f"{file:04d}.txt", "ab", buffering=0) as to:
                to.write(b"".join(line(file, n) for n in range(next_line[file], next_line[file] + count)))
            next_line[file] += count
            if next_line[file] == LINES:
                open_files.remove(file)
            time.sleep(0.0005)

    def test_nothing_is_missing_after_kills(self):
        (self.folder / "days").mkdir()
        writer = threading.Thread(target=self.write_all)
        writer.start()
        self.addCleanup(writer.join)
        self.write("routes.yaml", ROUTE.format(batch=BATCH, ends="false"))
        total = sum(len(line(0, n)) for n in range(LINES)) * FILES
        kills = 0
        while kills < KILLS and self.written() < total:
            running = self.start("run", "routes.yaml")
            wanted = min(self.written() + self.random.randrange(1, 2 * total // KILLS), total)
            until = time.monotonic() + bridge.PATIENCE
            while self.written() < wanted:
                self.assertLess(time.monotonic(), until, running.text)
                time.sleep(0.0002)
            running.process.send_signal(signal.SIGKILL)
            self.assertEqual(running.end(), -signal.SIGKILL, running.text)
            kills += 1
        writer.join()
        self.write("routes.yaml", ROUTE.format(batch=BATCH, ends="true"))
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_exact(running.ledgers()["flow"])

        expected, repeated = [0] * FILES, 0
        with open(self.folder / "out.txt", "rb") as lines:
            for text in lines:
                file, number = int(text[:4]), int(text[5:11])
                self.assertEqual(text, line(file, number))
                self.assertLessEqual(number, expected[file])  # of each file in order, and only ever back
                repeated += number < expected[file]
                expected[file] = max(expected[file], number + 1)
        self.assertEqual(expected, [LINES] * FILES)
        self.assertLessEqual(repeated, kills * BATCH * 10)
        print(f"{kills} kills, {FILES} files, {FILES * LINES} lines: 0 missing, {repeated} repeated")


if __name__ == "__main__":
    bridge.main()
