"""bridge: runs the real mqbridge in a scratch folder and reads what it says. It waits for output, an end, or what another process can be asked for."""
import json
import os
import pathlib
import pty
import re
import select
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = os.environ["MQB_BINARY"]
PLUGINS = pathlib.Path(os.environ["MQB_TEST_PLUGINS"])
ZOO = pathlib.Path(os.environ.get("MQB_TEST_ZOO", "/nowhere"))
BUILD = pathlib.Path(os.environ["MQB_TEST_BUILD"])
PATIENCE = 60  # seconds until something that should happen counts as missing

COUNTERS = ["delivered", "replied", "filtered", "duplicate", "discarded", "dead_lettered", "rejected", "nacked", "returned", "in_flight"]


def environment():
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("MQB_PLUGIN", "MQB_STATE", "XDG_"))}
    # The state directory is in the scratch folder: the default one belongs to whoever runs the tests.
    return clean | {"HOME": "/nowhere", "MQB_PLUGIN_PATH": str(PLUGINS), "MQB_STATE_DIR": "state"}


def shown_on(terminal):
    """What comes to our end of a terminal until nobody has the other one; closes it."""
    shown, until = b"", time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(terminal)
    return shown.decode()


class Running:
    """A mqbridge that runs: lines of its standard error as they come."""

    def __init__(self, folder, arguments, summary=True, binary=None, plugins=PLUGINS, **how):
        self.summary_file = folder / "summary.json"
        self.process = subprocess.Popen(
            [binary or BINARY, *map(str, arguments)] + (["--summary", str(self.summary_file)] if summary else []),
            cwd=folder, env=environment() | {"MQB_PLUGIN_PATH": str(plugins)}, **how, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.text = ""
        self.output_size = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.process.stdout, selectors.EVENT_READ)
        self._selector.register(self.process.stderr, selectors.EVENT_READ)

    def _read(self, until):
        """Takes what is there; False when both streams have ended."""
        if not self._selector.get_map():
            return False
        for key, _ in self._selector.select(max(0, until - time.monotonic())):
            data = os.read(key.fileobj.fileno(), 1 << 16)
            if not data:
                self._selector.unregister(key.fileobj)
            elif key.fileobj is self.process.stderr:
                self.text += data.decode(errors="replace")
            else:
                self.on_output(data)
                self.output_size += len(data)
        return True

    def on_output(self, data):
        pass

    def wait_until(self, holds):
        """True as soon as `holds()`, False if the program ended before."""
        until = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > until:
                raise AssertionError(f"nothing in {PATIENCE} s; so far:\n{self.text}")
            if not self._read(until):
                return holds()
        return True

    def wait_for(self, pattern):
        return self.wait_until(lambda: re.search(pattern, self.text))

    def end(self):
        """Waits for the end; the exit code."""
        until = time.monotonic() + PATIENCE
        while self._read(until):
            if time.monotonic() > until:
                raise AssertionError(f"no end in {PATIENCE} s; so far:\n{self.text}")
        code = self.process.wait(timeout=PATIENCE)
        self.close()
        return code

    def signal_until_end(self, number):
        """Sends the signal again and again, as somebody who wants out; the exit code."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            if time.monotonic() > until:
                raise AssertionError(f"no end in {PATIENCE} s; so far:\n{self.text}")
            self.process.send_signal(number)
            self._read(time.monotonic() + 0.02)
        return self.end()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
        self._selector.close()

    def ledgers(self):
        return json.loads(self.summary_file.read_text())["routes"]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mqb-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def start(self, *arguments):
        running = Running(self.folder, arguments)
        self.addCleanup(running.close)
        return running

    def bridge(self, *arguments):
        """Runs to the end, whatever the command."""
        return subprocess.run([BINARY, *map(str, arguments)], cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=PATIENCE)

    def on_terminal(self, *arguments, **environ):
        """What it shows on a terminal, of the kind xterm if none is named."""
        ours, theirs = pty.openpty()
        env = {k: v for k, v in environment().items() if k != "NO_COLOR"} | {"TERM": "xterm"} | environ
        process = subprocess.Popen([BINARY, *map(str, arguments)], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = shown_on(ours)
        process.wait(timeout=PATIENCE)
        return shown

    def until(self, holds):
        """Asks again and again, for what has no event to wait for: another process, or a file."""
        end = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), end, f"nothing in {PATIENCE} s")
            time.sleep(0.01)

    def assert_exact(self, ledger):
        self.assertEqual(ledger["received"], sum(ledger[c] for c in COUNTERS), ledger)

    def assert_delivered(self, ledger, count, state="completed"):
        self.assert_exact(ledger)
        self.assertEqual((ledger["state"], ledger["received"], ledger["delivered"]), (state, count, count), ledger)


def skipped(reason):
    """Says that something was skipped; the exit code. With CI set, what "needs …" has to be there: nobody reads what was skipped there."""
    is_missed = bool(os.environ.get("CI")) and reason.startswith("needs ")
    print(f"skipped: {reason}" + ("; with CI set that is a failure" if is_missed else ""), flush=True)
    return int(is_missed)


def main():
    result = unittest.main(verbosity=2, exit=False).result
    codes = [skipped(reason) for _, reason in result.skipped]
    sys.exit(max(codes + [int(not result.wasSuccessful())]))
