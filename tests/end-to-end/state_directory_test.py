"""The state directory of a host: one host at a time, and a clear error for each directory that cannot be used."""
import json
import os
import shutil
import stat
import unittest

import bridge

ROUTES = """
flow: {input: {file: {path: in.txt, format: raw}}, output: {file: {path: out.txt, format: raw}}}
"""
DRAIN = ROUTES.replace("flow: {", "flow: {exit_on_empty: true, ")


class State(bridge.Case):
    def setUp(self):
        super().setUp()
        self.write("in.txt", "1\n2\n")
        self.write("routes.yaml", DRAIN)
        self.state = self.folder / "state"

    def refused(self, pattern, *options):
        """Exit code 2, one line, and nothing has run."""
        done = self.bridge("run", "routes.yaml", *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, rf"^mqbridge run: .*{pattern}.*\n$")
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse((self.folder / "out.txt").exists())
        return done.stderr

    def assert_runs(self, *options):
        done = self.bridge("run", "routes.yaml", *options)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_made(self):
        self.assert_runs()
        self.assertEqual(stat.S_IMODE(self.state.stat().st_mode), 0o700)
        names = {str(path.relative_to(self.state)) for path in self.state.rglob("*")}
        self.assertLessEqual({"lock", "format", "letters.db", "instances/flow/input", "instances/flow/output"}, names)
        for name in names - {"lock"}:
            self.assertEqual(stat.S_IMODE((self.state / name).stat().st_mode) & 0o022, 0, name)

    def test_two_hosts(self):
        self.write("routes.yaml", ROUTES)
        first = self.start("run", "routes.yaml")
        self.until(lambda: (self.folder / "out.txt").exists())
        self.write("routes.yaml", DRAIN.replace("out.txt", "other.txt"))
        done = self.bridge("run", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"another mqbridge runs on it \(process {first.process.pid}\): stop that one, .* --state-dir")
        self.assertFalse((self.folder / "other.txt").exists())
        self.assert_runs("--state-dir", "another")
        first.process.terminate()
        self.assertEqual(first.end(), 0, first.text)
        self.assert_runs()

    def test_one_that_cannot_be_made(self):
        self.refused("/proc/none: cannot be made: .*; name another one with --state-dir", "--state-dir", "/proc/none")
        self.refused("in.txt: is not a directory", "--state-dir", "in.txt")
        self.assert_runs("--state-dir", "fine")

    def test_one_that_others_may_write_to(self):
        self.state.mkdir(0o700)
        self.state.chmod(0o770)
        self.refused("others may write to it: chmod 700")

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to give a folder away")
    def test_one_of_another_user(self):
        self.state.mkdir(0o700)
        os.chown(self.state, 65534, 65534)
        self.refused(r"belongs to user .*\(65534\), and this process runs as root")

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to start a host of another user")
    def test_root_asks_the_host_of_another_user(self):
        """It is answered, leaves nothing of its own behind, and cannot run there."""
        self.write("routes.yaml", ROUTES)
        (self.folder / "plugins").mkdir()
        shutil.copy(bridge.PLUGINS / "libmqb_file.so", self.folder / "plugins")
        shutil.copy(bridge.BINARY, self.folder / "binary")
        for path in (self.folder, self.folder / "in.txt", self.folder / "routes.yaml"):
            os.chown(path, 65534, 65534)
        host = bridge.Running(self.folder, ["run", "routes.yaml"], binary=str(self.folder / "binary"), plugins=self.folder / "plugins",
                              user=65534, group=65534, extra_groups=[])
        self.addCleanup(host.close)
        self.until(lambda: (self.folder / "out.txt").exists())
        done = self.bridge("status", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["host"]["pid"], host.process.pid)
        for words, said in ((["pause", "flow"], "flow: pausing\n"), (["resume", "flow"], "flow: resuming\n"), (["dlq", "list"], "no dead letters\n")):
            done = self.bridge(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, said, ""))
        host.process.terminate()
        self.assertEqual(host.end(), 0, host.text)
        done = self.bridge("dlq", "list")
        self.assertEqual((done.returncode, done.stdout), (0, "no dead letters\n"), done.stderr)
        self.assertEqual({path.stat().st_uid for path in [self.state, *self.state.rglob("*")]}, {65534})
        (self.folder / "out.txt").unlink()
        self.refused(r"belongs to user .*\(65534\), and this process runs as root")

    def test_one_of_a_later_version(self):
        self.assert_runs()
        (self.folder / "out.txt").unlink()
        (self.state / "format").write_text("mqbridge-state 9\n")
        self.refused("was written by a later mqbridge: it has format 9")

    def test_a_damaged_store_of_dead_letters(self):
        self.assert_runs()
        (self.folder / "out.txt").unlink()
        for path in self.state.glob("letters.db*"):
            path.unlink()
        (self.state / "letters.db").write_bytes(b"not a database at all" * 500)
        self.refused("dead letters: .*letters.db.* is damaged or no database")
        done = self.bridge("dlq", "list")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is damaged or no database", done.stderr)

    @unittest.skipIf(os.geteuid() == 0, "root's default is /var/lib/mqbridge, which is not for a test to make")
    def test_no_home_and_no_option(self):
        """What a service without a home gets: the way out is in the text."""
        clean = bridge.environment()
        del clean["MQB_STATE_DIR"]
        done = bridge.subprocess.run([bridge.BINARY, "run", "routes.yaml"], cwd=self.folder, env=clean, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--state-dir, MQB_STATE_DIR or the key state_dir", done.stderr)


if __name__ == "__main__":
    bridge.main()
