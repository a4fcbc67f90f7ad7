"""Parts by source position: what is read again after a kill is not written again, so that the parts hold every record once."""
import os
import random
import re
import signal
import time

import bridge

LINES = 200_000 if os.environ.get("MQB_LONG") else 30_000
KILLS = 40 if os.environ.get("MQB_LONG") else 8
ROUTE = """
parts:
  exit_on_empty: true
  batch_size: 97
  input: {file: {path: in.jsonl, format: raw, source_metadata: true}}
  output: {file: {path: %s, format: raw, name_by: source_position}}
"""


class Parts(bridge.Case):
    def setUp(self):
        super().setUp()
        self.write("routes.yaml", ROUTE % "parts")

    def run_to_end(self, count):
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["parts"], count)

    def texts(self, folder="parts"):
        """Name and content of each part, in the order of the positions."""
        return [(path.name, path.read_text()) for path in sorted((self.folder / folder).iterdir())]

    def test_the_name_says_what_is_in_a_part_and_a_second_run_writes_nothing_new(self):
        self.write("in.jsonl", "".join(f'{{"n":{i}}}\n' for i in range(5)))
        self.run_to_end(5)
        first = self.texts()
        self.assertEqual(len(first), 1)
        self.assertRegex(first[0][0], r"^part-file-in\.jsonl-[0-9a-f]{16}-0{10}-0{20}-0{19}4\.bin$")
        self.assertEqual(first[0][1], (self.folder / "in.jsonl").read_text())
        self.run_to_end(5)
        self.assertEqual(self.texts(), first)
        with open(self.folder / "in.jsonl", "a") as file:
            file.write('{"n":5}\n')
        self.run_to_end(6)
        self.assertEqual([text for _, text in self.texts()], [first[0][1], '{"n":5}\n'])

    def test_a_path_of_one_relative_part_and_of_many(self):
        self.write("in.jsonl", "a\n")
        for folder in ("one", "a/b/c", "slash/", str(self.folder / "whole")):
            self.write("routes.yaml", ROUTE % folder)
            self.run_to_end(1)
            self.assertEqual([text for _, text in self.texts(folder)], ["a\n"])

    def test_every_record_is_there_once_after_kills(self):
        seed = int(os.environ.get("MQB_SEED", 0)) or random.SystemRandom().randrange(1, 1 << 32)
        print(f"MQB_SEED={seed}")
        choose = random.Random(seed)
        self.write("in.jsonl", "".join(f"{i:07} {'x' * (i * 7 % 61)} {i:07}\n" for i in range(LINES)))
        folder, kills = self.folder / "parts", 0
        count = lambda: len(list(folder.iterdir())) if folder.exists() else 0
        for _ in range(KILLS):
            wanted = count() + choose.randrange(2 * LINES // 97 // KILLS)
            running = self.start("run", "routes.yaml")
            until = time.monotonic() + bridge.PATIENCE
            while count() < wanted and running.process.poll() is None:
                self.assertLess(time.monotonic(), until, running.text)
                time.sleep(0.0005)
            if running.process.poll() is None:
                running.process.send_signal(signal.SIGKILL)
            if running.end() == 0:
                break
            kills += 1
        self.run_to_end(LINES)
        self.assertGreater(kills, 0)
        parts = self.texts()
        self.assertEqual("".join(text for _, text in parts), (self.folder / "in.jsonl").read_text())
        expected = 0
        for name, text in parts:
            first, last = map(int, re.search(r"-(\d{20})-(\d{20})\.bin$", name).groups())
            self.assertEqual((first, last - first + 1), (expected, text.count("\n")), name)
            expected = last + 1
        print(f"{kills} kills, {LINES} records in {len(parts)} parts: 0 missing, 0 repeated")


if __name__ == "__main__":
    bridge.main()
