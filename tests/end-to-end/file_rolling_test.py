"""An output file that is left for a new one, by its own rules or by another program: every record is whole, in order, in one of the files."""
import csv
import json
import os
import random
import signal
import threading
import time

import bridge

LONG = bool(os.environ.get("MQB_LONG"))
LINES = 400_000 if LONG else 40_000
KILLS = 60 if LONG else 8
MOST = 100_000  # bytes of a file
BATCH = 128
WINDOW = 4
ROUTE = """
flow:
  exit_on_empty: true
  batch_size: %d
  send_window: %d
  input: {file: {path: in.txt, format: raw, mode: group_subscribe, group_id: g}}
  output: {file: {path: out/log.%s, format: %s, %s}}
"""


def record(number):
    """Says its number twice, so that half a record and two in one are seen, and has a line feed in it for CSV."""
    return {"n": str(number), "text": "x" * (number * 7 % 61), "lines": f"a\nb,\"{number}\""}


class Rolling(bridge.Case):
    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)
        self.out = self.folder / "out"
        self.out.mkdir()

    def prepare(self, lines, form, more):
        with open(self.folder / "in.txt", "w") as file:
            file.writelines(json.dumps(record(i)) + "\n" for i in range(lines))
        self.write("routes.yaml", ROUTE % (BATCH, WINDOW, form, form, more))

    def files(self, form):
        """Those that were rolled in the order of their names, and the one that is written last."""
        names = sorted(path.name for path in self.out.iterdir() if path.name.endswith("." + form))
        self.assertEqual(names[-1], "log." + form)  # a name with a time sorts before it
        return [self.out / name for name in names]

    def written(self):
        total = 0
        for path in self.out.iterdir():
            try:
                total += path.stat().st_size
            except FileNotFoundError:
                pass
        return total

    def numbers(self, form):
        for path in self.files(form):
            self.assertLessEqual(path.stat().st_size, MOST, path)
            with open(path, newline="", encoding="utf-8") as file:
                if form == "csv":
                    rows = csv.reader(file, strict=True)
                    self.assertEqual(next(rows), ["n", "text", "lines"], path)
                    for row in rows:
                        number = int(row[0])
                        self.assertEqual(dict(zip(("n", "text", "lines"), row)), record(number), path)
                        yield number
                else:
                    for text in file:
                        number = int(json.loads(text)["n"])
                        self.assertEqual(text, json.dumps(record(number)) + "\n", path)
                        yield number

    def assert_all_there(self, form, lines, kills):
        seen, repeats, expected = bytearray(lines), [], 0
        for number in self.numbers(form):
            if number != expected:
                self.assertLess(number, expected)  # only ever back
                repeats.append(expected - number)
            seen[number] = 1
            expected = number + 1
        self.assertEqual((seen.count(0), expected), (0, lines))
        self.assertLessEqual(len(repeats), kills)
        self.assertLessEqual(max(repeats, default=0), BATCH * (WINDOW + 2))
        return sum(repeats)

    def kill(self, form, more):
        self.prepare(LINES, form, more)
        size = os.path.getsize(self.folder / "in.txt")
        kills, wanted = 0, 0
        while kills < KILLS:
            running = self.start("run", "routes.yaml")
            wanted += self.random.randrange(2 * size // KILLS)
            until = time.monotonic() + bridge.PATIENCE
            while self.written() < wanted and running.process.poll() is None:
                self.assertLess(time.monotonic(), until, running.text)
                time.sleep(0.0002)
            if running.process.poll() is None:
                running.process.send_signal(signal.SIGKILL)
            if running.end() == 0:
                break
            kills += 1
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_exact(running.ledgers()["flow"])
        self.assertGreater(kills, 0)
        repeated = self.assert_all_there(form, LINES, kills)
        print(f"{form}: {kills} kills, {LINES} records in {len(self.files(form))} files: 0 missing, 0 torn, {repeated} repeated")

    def test_nothing_is_missing_or_torn_after_kills(self):
        self.kill("raw", f"rolling: {{max_bytes: {MOST}}}")

    def test_nothing_is_missing_or_torn_after_kills_of_csv(self):
        self.kill("csv", f"rolling: {{max_bytes: {MOST}, every: 1s}}")

    def test_by_time_and_kept(self):
        self.prepare(10, "raw", "rolling: {every: 1s, keep: 2}")
        self.write("routes.yaml", (self.folder / "routes.yaml").read_text().replace("exit_on_empty: true", "exit_on_empty: false"))
        running = self.start("run", "routes.yaml")
        for count in (10, 20, 30, 40, 50):
            self.until(lambda: (self.out / "log.raw").exists() and f'"n": "{count - 1}"' in (self.out / "log.raw").read_text())
            second = int(time.time())
            self.until(lambda: int(time.time()) > second)
            with open(self.folder / "in.txt", "a") as file:
                file.writelines(json.dumps(record(i)) + "\n" for i in range(count, count + 10))
        self.until(lambda: '"n": "59"' in (self.out / "log.raw").read_text())
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)
        files = self.files("raw")
        self.assertEqual(len(files), 3)
        self.assertEqual([path.read_text().count("\n") for path in files], [10, 10, 10])
        self.assertEqual([json.loads(path.read_text().splitlines()[0])["n"] for path in files], ["30", "40", "50"])

    def test_another_program_moves_the_file_away(self):
        """As logrotate does without copytruncate, with `create` and without."""
        self.prepare(LINES, "csv", "fsync: off")
        moved, stop = [], threading.Event()

        def rotate():
            while not stop.is_set():
                time.sleep(0.002)
                path = self.out / "log.csv"
                if not path.exists() or path.stat().st_size < 20_000:
                    continue
                to = self.out / f"moved{len(moved):05}"
                os.rename(path, to)
                moved.append(to)
                if len(moved) % 2:
                    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))

        thread = threading.Thread(target=rotate)
        thread.start()
        try:
            running = self.start("run", "routes.yaml")
            self.assertEqual(running.end(), 0, running.text)
        finally:
            stop.set()
            thread.join()
        self.assert_delivered(running.ledgers()["flow"], LINES)
        self.assertGreater(len(moved), 3)
        expected = 0
        for path in moved + [self.out / "log.csv"]:
            if not path.exists():
                continue
            with open(path, newline="") as file:
                rows = list(csv.reader(file, strict=True))
            if not rows:
                continue
            self.assertEqual(rows[0], ["n", "text", "lines"], path)
            for row in rows[1:]:
                self.assertEqual(int(row[0]), expected, path)
                expected += 1
        self.assertEqual(expected, LINES)


if __name__ == "__main__":
    bridge.main()
