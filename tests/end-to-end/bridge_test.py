"""What the tests are made of: a test that is skipped for want of something fails where CI is set."""
import os
import pathlib
import subprocess
import sys

import bridge

SCRIPT = """
import unittest
import bridge

class Some(bridge.Case):
    def test_passes(self):
        self.assertTrue(%s)

    @unittest.skipIf(%s, "%s")
    def test_is_skipped(self):
        pass

bridge.main()
"""


class Skips(bridge.Case):
    def ended(self, passes=True, skips=True, reason="needs root", **variables):
        self.write("some.py", SCRIPT % (passes, skips, reason))
        env = {name: value for name, value in os.environ.items() if name != "CI"} | {"PYTHONPATH": str(pathlib.Path(__file__).parent)} | variables
        done = subprocess.run([sys.executable, "some.py"], cwd=self.folder, env=env, capture_output=True, text=True, timeout=bridge.PATIENCE)
        return done.returncode, done.stdout

    def test_of_what_is_missing(self):
        self.assertEqual(self.ended(), (0, "skipped: needs root\n"))
        self.assertEqual(self.ended(CI="1"), (1, "skipped: needs root; with CI set that is a failure\n"))

    def test_of_what_is_not_meant_for_here(self):
        self.assertEqual(self.ended(reason="not as root", CI="1"), (0, "skipped: not as root\n"))

    def test_without_skips(self):
        self.assertEqual(self.ended(skips=False, CI="1"), (0, ""))
        self.assertEqual(self.ended(skips=False, passes=False)[0], 1)
        self.assertEqual(self.ended(passes=False)[0], 1)


if __name__ == "__main__":
    bridge.main()
