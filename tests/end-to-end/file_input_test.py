"""File inputs beyond one file: patterns, subscribers, deleting, and where a message is from; peak memory stays where it is."""
import json
import os
import signal

import bridge

MOST_MEMORY_KIB = 64 * 1024


class FileInput(bridge.Case):
    def route(self, source, drain=True, form="raw"):
        self.write("routes.yaml", f"flow:\n  exit_on_empty: {str(drain).lower()}\n  empty_batch_delay_ms: 1\n"
                                  f"  input: {{file: {{{source}}}}}\n  output: {{file: {{path: out.txt, format: {form}}}}}\n")

    def out(self):
        path = self.folder / "out.txt"
        return path.read_bytes() if path.exists() else b""

    def run_to_end(self, code=0):
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.assert_exact(running.ledgers()["flow"])
        return running

    def stop(self, running):
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)

    def test_files_that_match_in_order_and_new_ones(self):
        (self.folder / "days").mkdir()
        for day in (3, 1, 2):
            self.write(f"days/{day}.txt", f"{day}a\n{day}b\n")
        self.write("days/4.txt.tmp", "not yet\n")
        source = "path: days/*.txt, format: raw, mode: group_subscribe, group_id: g"
        self.route(source)
        self.run_to_end()
        self.assertEqual(self.out(), b"1a\n1b\n2a\n2b\n3a\n3b\n")
        self.run_to_end()
        self.assertEqual(self.out(), b"1a\n1b\n2a\n2b\n3a\n3b\n")
        self.route(source, drain=False)
        running = self.start("run", "routes.yaml")
        (self.folder / "days/4.txt.tmp").rename(self.folder / "days/4.txt")
        self.until(lambda: self.out().endswith(b"not yet\n"))
        with open(self.folder / "days/1.txt", "a") as file:
            file.write("1c\n")
        self.until(lambda: self.out().endswith(b"1c\n"))
        self.stop(running)
        self.route(source)
        self.run_to_end()
        self.assertEqual(self.out(), b"1a\n1b\n2a\n2b\n3a\n3b\nnot yet\n1c\n")

    def test_a_folder_that_is_empty_or_not_there(self):
        self.route("path: days/, format: raw")
        self.assertIn("cannot read the folder 'days' of file source 'days/': No such file or directory", self.run_to_end(1).text)
        (self.folder / "days").mkdir()
        self.assert_delivered(self.run_to_end().ledgers()["flow"], 0)
        (self.folder / "days").rmdir()
        self.route("path: days/, format: raw", drain=False)
        running = self.start("run", "routes.yaml")
        running.wait_for("cannot read the folder 'days'")
        (self.folder / "days").mkdir()
        self.write("days/x", "1\n")
        self.until(lambda: self.out() == b"1\n")
        self.stop(running)

    def test_an_output_is_no_pattern(self):
        self.write("in.txt", "")
        self.write("routes.yaml", "flow: {input: {file: {path: in.txt}}, output: {file: {path: 'out/*.txt'}}}\n")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn('an output is one file; "out/*.txt" is a pattern, which only an input may be', done.stderr)

    def test_a_copy_of_a_pattern(self):
        for name in "ba":
            self.write(f"{name}.in", name + "\n")
        done = self.bridge("copy", "file://*.in?format=raw", "file://out.txt?format=raw", "--drain")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.out(), b"a\nb\n")

    def test_deleting_leaves_an_empty_file_and_a_header(self):
        self.write("in.txt", "1\n2\n3")
        self.route("path: in.txt, format: raw, delete: true")
        self.run_to_end()
        self.assertEqual((self.out(), (self.folder / "in.txt").read_bytes()), (b"1\n2\n3\n", b""))
        self.write("in.csv", "a,b\n1,2\n")
        self.route("path: in.csv, format: csv, delete: true")
        self.run_to_end()
        self.assertEqual((self.folder / "in.csv").read_bytes(), b"a,b\n")
        self.assertEqual(sorted(path.name for path in self.folder.glob("in.*")), ["in.csv", "in.txt"])

    def test_a_subscriber_gets_what_is_new(self):
        self.write("in.txt", "old\n")
        self.route("path: in.txt, format: raw, mode: subscribe", drain=False)
        running = self.start("run", "routes.yaml")
        number = 0

        def has_begun():
            # Written until one is seen: nothing says when the subscriber has begun.
            nonlocal number
            number += 1
            with open(self.folder / "in.txt", "a") as file:
                file.write(f"new {number}\n")
            return self.out()

        self.until(has_begun)
        self.until(lambda: self.out().endswith(b"new %d\n" % number))
        self.stop(running)
        lines = self.out().decode().splitlines()
        self.assertEqual(lines, [f"new {n}" for n in range(number - len(lines) + 1, number + 1)])

    def test_where_a_message_is_from_ends_at_the_next_hop(self):
        self.write("in.txt", "1\n2\n")
        self.route("path: in.txt, format: raw, source_metadata: true", form="normal")
        self.run_to_end()
        records = [json.loads(line) for line in self.out().splitlines()]
        self.assertEqual([(r["payload"], r["metadata"]) for r in records], [(n, {"mq_bridge.original_format": "raw"}) for n in "12"])

    def test_peak_memory_does_not_grow_with_what_is_read(self):
        line = b"x" * 99 + b"\n"
        (self.folder / "many").mkdir()
        for number in range(2000):
            (self.folder / "many" / f"{number:05d}.txt").write_bytes(line * 200)
        for source in ("path: many/, mode: group_subscribe, group_id: g", "path: large.txt, delete: true",
                       "path: large.txt, mode: group_subscribe, group_id: g"):
            with self.subTest(source):
                # In pieces: the peak counts that of this process at its start too.
                with open(self.folder / "large.txt", "wb") as file:
                    for _ in range(800):
                        file.write(line * 1000)
                (self.folder / "out.txt").unlink(missing_ok=True)
                self.route(f"{source}, format: raw")
                with open(self.folder / "stderr", "wb") as errors:
                    before = os.getcwd()
                    os.chdir(self.folder)
                    try:
                        child = os.posix_spawn(bridge.BINARY, [bridge.BINARY, "run", "routes.yaml"], bridge.environment(),
                                               file_actions=[(os.POSIX_SPAWN_DUP2, errors.fileno(), 2)])
                    finally:
                        os.chdir(before)
                    _, status, usage = os.wait4(child, 0)
                self.assertEqual(os.waitstatus_to_exitcode(status), 0, (self.folder / "stderr").read_text())
                self.assertEqual((self.folder / "out.txt").stat().st_size, 40_000_000 if "many" in source else 80_000_000)
                print(f"{source}: peak {usage.ru_maxrss} KiB")
                if not os.environ.get("MQB_SANITIZED"):
                    self.assertLess(usage.ru_maxrss, MOST_MEMORY_KIB)


if __name__ == "__main__":
    bridge.main()
