"""Case C068: the disk is full while a file is written. Nothing is missing, nothing is half, and it goes on when there is room."""
import json
import os
import shutil
import signal
import subprocess
import sys

import bridge

LINES = 10_000
INSIDE = "MQB_TEST_HAS_OWN_MOUNTS"
ROUTE = """
flow:
  exit_on_empty: true
  input: {file: {path: in.txt, format: raw, mode: group_subscribe, group_id: g}}
  output: {file: {path: small/out.txt, %s}}
"""


def line(number):
    return f"{number:05} {'x' * 1010} {number:05}\n"


class DiskFull(bridge.Case):
    def setUp(self):
        super().setUp()
        self.small = self.folder / "small"
        self.small.mkdir()
        self.mount("size=2m")
        self.addCleanup(subprocess.run, ["umount", str(self.small)], check=True)
        with open(self.folder / "in.txt", "w") as file:
            file.writelines(map(line, range(LINES)))

    def mount(self, options):
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "mqb-test", str(self.small)], check=True)

    def position(self):
        """How many lines are acknowledged."""
        try:
            return int((self.folder / "in.txt.g.offset").read_text()) // len(line(0))
        except FileNotFoundError:
            return 0

    def texts(self):
        """What is in the output files, in the order in which they were written."""
        names = sorted(path.name for path in self.small.iterdir() if path.name.endswith(".txt"))
        return [(self.small / name).read_text() for name in names]

    def fill(self, output):
        self.write("routes.yaml", ROUTE % output)
        running = self.start("run", "routes.yaml")
        running.wait_for(r"cannot (write to|open) file target 'small/out.txt': No space left on device")
        return running

    def assert_whole(self, may_repeat):
        expected = 0
        for text in self.texts():
            self.assertTrue(text.endswith("\n"))
            for one in text.splitlines(keepends=True):
                number = int(one[:5])
                self.assertEqual(one, line(number))
                if number != expected:
                    self.assertTrue(may_repeat)
                    self.assertLess(number, expected)
                expected = number + 1
        self.assertEqual(expected, LINES)

    def enlarge_and_end(self, running):
        subprocess.run(["mount", "-o", "remount,size=40m", str(self.small)], check=True)
        self.assertEqual(running.end(), 0, running.text)
        ledger = running.ledgers()["flow"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["state"], ledger["received"]), ("completed", ledger["delivered"]))
        return ledger

    def full_then_room(self, output):
        running = self.fill(output)
        # Nothing is acknowledged that is not in the file, and everything in it is whole.
        held = "".join(self.texts())
        self.assertEqual(held, "".join(map(line, range(held.count("\n")))))
        self.assertLessEqual(self.position(), held.count("\n"))
        self.assertLess(self.position(), 2048)
        status = json.loads(self.bridge("status", "--json", "--state-dir", "state").stdout)["routes"]["flow"]
        self.assertIn("No space left on device", status["cause"], status)
        self.assertGreater(status["in_flight"], 0)
        self.assertIsNone(running.process.poll())
        self.assertEqual(self.enlarge_and_end(running)["delivered"], LINES)
        self.assert_whole(may_repeat=False)

    def full_then_killed(self, output):
        running = self.fill(output)
        running.process.send_signal(signal.SIGKILL)
        self.assertEqual(running.end(), -signal.SIGKILL)
        self.assertLessEqual(self.position(), "".join(self.texts()).count("\n"))
        # Full at the start, too.
        running = self.start("run", "routes.yaml")
        running.wait_for(r"No space left on device")
        self.enlarge_and_end(running)
        self.assert_whole(may_repeat=True)

    def test_C068_disk_full_while_writing(self):
        self.full_then_room("format: raw")

    def test_C068_disk_full_while_writing_and_killed(self):
        self.full_then_killed("format: raw")

    def test_C068_disk_full_while_rolling(self):
        self.full_then_room("format: raw, rolling: {max_bytes: 300k}")

    def test_C068_disk_full_while_rolling_and_killed(self):
        self.full_then_killed("format: raw, rolling: {max_bytes: 300k}")

    def test_C068_disk_full_with_periodic_syncs(self):
        self.full_then_room("format: raw, fsync: periodic, fsync_interval_ms: 5")

    def test_C068_disk_full_with_synchronised_batches_and_killed(self):
        self.full_then_killed("format: raw, fsync: batch")


if __name__ == "__main__":
    # In a mount namespace of its own, so that no mount outlives a test that is killed.
    if INSIDE not in os.environ:
        unshare = shutil.which("unshare")
        able = unshare and os.geteuid() == 0 and subprocess.run([unshare, "-m", "true"], capture_output=True).returncode == 0
        if not able:
            sys.exit(bridge.skipped("needs root and the right to mount, for a small file system"))
        os.environ[INSIDE] = "1"
        os.execv(unshare, [unshare, "-m", sys.executable, os.path.abspath(__file__), *sys.argv[1:]])
    bridge.main()
