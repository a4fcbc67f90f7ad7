"""kill -9 and SIGTERM at random moments while a group reads one file and the host writes another: nothing missing, nothing torn."""
import os
import random
import re
import signal
import time

import bridge

LONG = bool(os.environ.get("MQB_LONG"))
LINES = 1_000_000 if LONG else 60_000
KILLS = 50 if LONG else 6
TERMS = 10 if LONG else 3
BATCH = 512
WINDOW = 8
ROUTE = """
flow:
  exit_on_empty: true
  batch_size: %d
  send_window: %d
  input: {file: {path: in.txt, format: raw, mode: group_subscribe, group_id: g}}
  output: {file: {%s}}
"""


def line(number):
    """A line says its number twice, so that half a line and two lines in one are seen."""
    return b"%07d %s %07d\n" % (number, b"x" * (number * 7 % 61), number)


class KillFile(bridge.Case):
    OUTPUT = "path: out.txt, format: raw"

    def setUp(self):
        super().setUp()
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        self.random = random.Random(seed)
        with open(self.folder / "in.txt", "wb") as file:
            file.writelines(map(line, range(LINES)))
        self.size = os.path.getsize(self.folder / "in.txt")
        self.write("routes.yaml", ROUTE % (BATCH, WINDOW, self.OUTPUT))

    def written(self):
        try:
            return os.path.getsize(self.folder / "out.txt")
        except FileNotFoundError:
            return 0

    def position(self):
        try:
            return int((self.folder / "in.txt.g.offset").read_text())
        except FileNotFoundError:
            return 0

    def interrupt(self, number, most):
        """Starts the program and sends the signal when it has written a random share more; its exit code, None if it ended first."""
        running = self.start("run", "routes.yaml")
        wanted = self.written() + self.random.randrange(most)
        until = time.monotonic() + bridge.PATIENCE
        while self.written() < wanted and running.process.poll() is None:
            self.assertLess(time.monotonic(), until, running.text)
            time.sleep(0.0002)
        ended = running.process.poll() is not None
        if not ended:
            running.process.send_signal(number)
        code = running.end()
        if ended:
            self.assertEqual(code, 0, running.text)
        return running, None if ended else code

    def finish(self):
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        ledger = running.ledgers()["flow"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["state"], ledger["received"]), ("completed", ledger["delivered"]))
        self.assertEqual(self.position(), self.size)

    def open_output(self):
        return open(self.folder / "out.txt", "rb")

    def numbers(self):
        """The numbers of the lines in the order of the output; every line is one that was in the input."""
        with self.open_output() as file:
            for text in file:
                self.assertRegex(text, rb"^\d{7} ")
                number = int(text[:7])
                self.assertEqual(text, line(number))
                yield number

    def test_nothing_is_missing_or_torn_after_kills(self):
        kills, cut = 0, 0
        while kills < KILLS:
            running, code = self.interrupt(signal.SIGKILL, 2 * (self.size - self.position()) // (KILLS - kills + 1) or 1)
            cut += len(re.findall(r"were cut from its end", running.text))
            if code is None:
                break
            self.assertEqual(code, -signal.SIGKILL)
            kills += 1
        self.finish()
        self.assertGreaterEqual(kills, KILLS // 2)

        seen, repeats, expected = bytearray(LINES), [], 0
        for number in self.numbers():
            if number != expected:
                # Only ever back, to what had not been acknowledged.
                self.assertLess(number, expected)
                repeats.append(expected - number)
            seen[number] = 1
            expected = number + 1
        self.assertEqual(seen.count(0), 0)
        self.assertEqual(expected, LINES)
        self.assertLessEqual(len(repeats), kills)
        self.assertLessEqual(max(repeats, default=0), BATCH * (WINDOW + 2))
        print(f"{kills} kills, {LINES} lines: 0 missing, 0 torn, {sum(repeats)} repeated, at most {max(repeats, default=0)} by one kill, "
              f"{cut} half lines cut")

    def test_nothing_is_missing_or_repeated_after_sigterm(self):
        terms = 0
        while terms < TERMS:
            running, code = self.interrupt(signal.SIGTERM, 2 * (self.size - self.position()) // (TERMS - terms + 1) or 1)
            if code is None:
                break
            ledger = running.ledgers()["flow"]
            self.assert_exact(ledger)
            self.assertEqual((code, ledger["state"], ledger["in_flight"]), (1 if ledger["returned"] else 0, "stopped", 0), running.text)
            terms += 1
        self.finish()
        self.assertGreaterEqual(terms, TERMS // 2)
        expected = 0
        for number in self.numbers():
            self.assertEqual(number, expected)
            expected += 1
        self.assertEqual(expected, LINES)
        print(f"{terms} times SIGTERM, {LINES} lines: 0 missing, 0 repeated")


if __name__ == "__main__":
    bridge.main()
