"""The failure cases of files, C060 to C069, each with its recipe: last lines, rotation, long lines, marks, bad bytes, damaged positions."""
import base64
import json
import os
import signal

import bridge

LIMIT = 1 << 20
MOST_MEMORY_KIB = 64 * 1024


class Files(bridge.Case):
    def route(self, source, target="{file: {path: out.txt, format: raw}}", drain=True, more=""):
        self.write("routes.yaml", f"flow:\n  exit_on_empty: {str(drain).lower()}\n  empty_batch_delay_ms: 1\n{more}"
                                  f"  input: {{file: {{{source}}}}}\n  output: {target}\n")

    def put(self, name, data, mode="wb"):
        with open(self.folder / name, mode) as file:
            file.write(data)

    def out(self, name="out.txt"):
        path = self.folder / name
        return path.read_bytes() if path.exists() else b""

    def run_to_end(self, code=0):
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.assert_exact(running.ledgers()["flow"])
        return running

    def stop(self, running):
        running.process.send_signal(signal.SIGTERM)
        self.assertEqual(running.end(), 0, running.text)
        self.assert_exact(running.ledgers()["flow"])

    def letters(self):
        listed = self.bridge("dlq", "list", "--json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        return json.loads(listed.stdout)


class LastLine(Files):
    def test_C060_a_last_line_without_newline_is_read_once(self):
        self.put("in.txt", b"a\nb\nc")
        self.route("path: in.txt, format: raw")
        self.run_to_end()
        self.assertEqual(self.out(), b"a\nb\nc\n")

    def test_C060_a_line_that_is_tailed_comes_whole_when_its_newline_is_there(self):
        for mode in ("mode: consume", "mode: group_subscribe, group_id: g"):
            with self.subTest(mode):
                self.put("in.txt", b"a\nb\nc")
                self.put("out.txt", b"")
                self.route(f"path: in.txt, format: raw, {mode}", drain=False)
                running = self.start("run", "routes.yaml")
                self.until(lambda: self.out() == b"a\nb\n")
                self.put("in.txt", b"d\n", "ab")
                self.until(lambda: self.out().count(b"\n") == 3)
                self.put("in.txt", b"e", "ab")
                self.stop(running)
                self.assertEqual(self.out(), b"a\nb\ncd\n")
        # What had no newline at the stop is not lost.
        self.put("in.txt", b"f\n", "ab")
        self.route("path: in.txt, format: raw, mode: group_subscribe, group_id: g")
        self.run_to_end()
        self.assertEqual(self.out(), b"a\nb\ncd\nef\n")


class Rotation(Files):
    MODES = ("mode: consume", "mode: group_subscribe, group_id: g")

    def follow(self, mode):
        for path in self.folder.glob("*.txt*"):
            path.unlink()
        self.route(f"path: in.txt, format: raw, {mode}", drain=False)
        return self.start("run", "routes.yaml")

    def test_C061_a_file_that_is_cut_in_place_every_tenth_line(self):
        for mode in self.MODES:
            with self.subTest(mode):
                running, expected = self.follow(mode), b""
                for number in range(1, 51):
                    line = b"line %d\n" % number
                    self.put("in.txt", line, "wb" if number % 10 == 0 else "ab")
                    expected += line
                    self.until(lambda: self.out() == expected)
                self.stop(running)
                self.assertEqual(self.out(), expected)
                self.assertIn("file source 'in.txt' was truncated: 63 bytes were read and it has ", running.text)
                self.assertNotIn("reconnect", running.text)

    def test_C061_a_file_that_is_longer_than_before_when_it_is_looked_at_again(self):
        for mode in self.MODES:
            with self.subTest(mode):
                running = self.follow(mode)
                self.put("in.txt", b"old 1\nold 2\n")
                self.until(lambda: self.out() == b"old 1\nold 2\n")
                running.process.send_signal(signal.SIGSTOP)
                self.put("in.txt", b"".join(b"new %d\n" % n for n in range(100)))
                running.process.send_signal(signal.SIGCONT)
                self.until(lambda: self.out().endswith(b"new 99\n"))
                self.stop(running)
                self.assertEqual(self.out(), b"old 1\nold 2\n" + b"".join(b"new %d\n" % n for n in range(100)))
                self.assertIn("file source 'in.txt' was truncated", running.text)

    def test_C061_a_restart_between_the_cut_and_the_next_line(self):
        for new in (b"new 1\n", b"".join(b"new %d\n" % n for n in range(100))):
            running = self.follow(self.MODES[1])
            self.put("in.txt", b"old 1\nold 2\n")
            self.until(lambda: self.out() == b"old 1\nold 2\n")
            self.until(lambda: self.out("in.txt.g.offset") == b"%020d" % 12)
            self.stop(running)
            self.put("in.txt", b"")
            running = self.start("run", "routes.yaml")
            running.wait_for("file source 'in.txt': was truncated")
            self.put("in.txt", new, "ab")
            self.until(lambda: self.out().endswith(new))
            self.stop(running)
            self.assertEqual(self.out(), b"old 1\nold 2\n" + new)

    def test_C061_a_file_that_is_renamed_while_its_writer_goes_on(self):
        for mode in self.MODES:
            with self.subTest(mode):
                running, number = self.follow(mode), 0

                def lines(count):
                    nonlocal number
                    number += count
                    return b"".join(b"%05d\n" % n for n in range(number - count, number))

                self.put("in.txt", lines(10))
                self.until(lambda: self.out().count(b"\n") == 10)
                for _ in range(20):
                    writer = open(self.folder / "in.txt", "ab")
                    writer.write(lines(7))
                    writer.flush()
                    for old in range(30, 0, -1):
                        before = self.folder / (f"in.txt.{old - 1}" if old > 1 else "in.txt")
                        if before.exists():
                            before.rename(self.folder / f"in.txt.{old}")
                    writer.write(lines(5))
                    writer.close()
                    self.put("in.txt", lines(3))
                self.until(lambda: self.out().count(b"\n") >= number)
                self.stop(running)
                self.assertEqual(self.out(), b"".join(b"%05d\n" % n for n in range(number)))


class LongLine(Files):
    def test_C063_a_very_long_line(self):
        long = b"x" * 70_000
        self.put("in.txt", b"\n".join([b"ok1", long, b"y" * 20_000_000, b"ok2", b"z" * 2_000_000]))
        self.route(f"path: in.txt, format: raw, max_record_bytes: {LIMIT}")
        with open(self.folder / "stderr", "wb") as errors:
            before = os.getcwd()
            os.chdir(self.folder)
            try:
                child = os.posix_spawn(bridge.BINARY, [bridge.BINARY, "run", "routes.yaml", "--summary", "summary.json"], bridge.environment(),
                                       file_actions=[(os.POSIX_SPAWN_DUP2, errors.fileno(), 2)])
            finally:
                os.chdir(before)
            _, status, usage = os.wait4(child, 0)
        text = (self.folder / "stderr").read_text()
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, text)
        self.assertEqual(self.out(), b"\n".join([b"ok1", long, b"ok2", b""]))
        ledger = json.loads((self.folder / "summary.json").read_text())["routes"]["flow"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["dead_lettered"]), (5, 3, 2))
        first, second = self.letters()
        for letter, record, byte, size in ((first, 3, 70_005, 20_000_000), (second, 5, 20_070_010, 2_000_000)):
            self.assertIn(f"file source 'in.txt': record {record}, at byte {byte}, has {size} bytes, more than max_record_bytes ({LIMIT})",
                          letter["error"])
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(usage.ru_maxrss, MOST_MEMORY_KIB)


class Marks(Files):
    def test_C064_a_byte_order_mark_and_crlf(self):
        for header in (b"id,name", b'"id","name"'):
            with self.subTest(header):
                self.put("in.csv", b"\xef\xbb\xbf" + header + b'\r\n1,Anna\r\n"2","B"\r\n')
                self.put("out.txt", b"")
                self.route("path: in.csv, format: csv")
                self.run_to_end()
                self.assertEqual(self.out(), b'{"id":"1","name":"Anna"}\n{"id":"2","name":"B"}\n')

    def test_C064_utf16_is_refused_by_its_name(self):
        self.put("in.csv", "\ufeffid,name\r\n1,Anna\r\n".encode("utf-16-le"))
        self.route("path: in.csv, format: csv")
        self.assertIn("file source 'in.csv' is UTF-16LE by its byte order mark; only UTF-8 is read as `csv`", self.run_to_end(1).text)
        self.assertEqual(self.out(), b"")

    def test_C064_raw_keeps_the_bytes_of_a_line(self):
        self.put("in.txt", b"a\r\nb\xef\xbb\xbf\r\n")
        self.route("path: in.txt, format: raw")
        self.run_to_end()
        self.assertEqual(self.out(), b"a\r\nb\xef\xbb\xbf\r\n")


class BadBytes(Files):
    LINES = [b"\x61\xc3\x28\xff\x62", b"zero\x00inside", b"next"]

    def test_C066_bytes_that_are_not_utf8_are_kept(self):
        self.put("in.txt", b"".join(line + b"\n" for line in self.LINES))
        self.route("path: in.txt, format: raw")
        self.run_to_end()
        self.assertEqual(self.out(), b"".join(line + b"\n" for line in self.LINES))

    def test_C066_an_envelope_of_bad_bytes_is_utf8_and_gives_them_back(self):
        for form in ("normal", "json", "text"):
            with self.subTest(form):
                self.put("in.txt", b"".join(line + b"\n" for line in self.LINES))
                for name in ("between.txt", "out.txt"):
                    self.put(name, b"")
                self.route("path: in.txt, format: raw", f"{{file: {{path: between.txt, format: {form}}}}}")
                self.run_to_end()
                records = [json.loads(line) for line in self.out("between.txt").decode("utf-8").splitlines()]
                self.assertEqual(len(records), 3)
                if form == "normal":
                    self.assertEqual(base64.b64decode(records[0]["payload_base64"]), self.LINES[0])
                else:
                    self.assertEqual((bytes(records[0]["payload"]), records[0]["metadata"]["mq_bridge.payload_bytes"]), (self.LINES[0], "1"))
                self.route(f"path: between.txt, format: {form}")
                self.run_to_end()
                self.assertEqual(self.out(), b"".join(line + b"\n" for line in self.LINES))

    def test_C066_a_row_of_bad_bytes_becomes_utf8(self):
        self.put("in.csv", b"a,b\n" + self.LINES[0] + b",\x00\nnext,row\n")
        self.route("path: in.csv, format: csv")
        running = self.run_to_end()
        first, second = [json.loads(line) for line in self.out().decode("utf-8").splitlines()]
        self.assertEqual((first, second), ({"a": "a\ufffd(\ufffdb", "b": "\x00"}, {"a": "next", "b": "row"}))
        self.assertEqual(running.text.count("bad bytes become U+FFFD"), 1)

    def test_C066_an_error_about_bad_bytes_is_one_about_that_message_alone(self):
        self.put("in.txt", b"".join(line + b"\n" for line in self.LINES))
        self.route("path: in.txt, format: raw", "{file: {path: out.txt, format: raw, max_message_bytes: 4}}")
        self.run_to_end()
        self.assertEqual(self.out(), b"next\n")
        self.assertEqual(len(self.letters()), 2)
        for arguments in (["list"], ["list", "--json"], ["show", "1"], ["show", "2"]):
            done = self.bridge("dlq", *arguments)  # which is read as UTF-8
            self.assertEqual(done.returncode, 0, done.stderr)
        shown = json.loads(self.bridge("dlq", "show", "1", "--json").stdout)
        self.assertEqual(base64.b64decode(shown["payload_base64"]), self.LINES[0])


class DamagedPosition(Files):
    SOURCE = "path: in.txt, format: raw, mode: group_subscribe, group_id: g"

    def setUp(self):
        super().setUp()
        self.first = b"".join(b"%04d\n" % n for n in range(100))
        self.more = b"".join(b"%04d\n" % n for n in range(100, 110))

    def test_C069_a_damaged_position_is_named_and_nothing_is_skipped(self):
        whole = b"%020d" % len(self.first)
        flipped = bytearray(whole)
        flipped[10] ^= 0x40
        fingerprint = "in.txt.g.offset.fingerprint"
        # What is damaged, and how; how many lines come again at most.
        # A number that is cut may be one that was set back by hand.
        for offset, beside, repeats in ((b"", None, 100), (b"x" + whole[1:], None, 100), (bytes(flipped), None, 100), (b"2 " + whole, None, 100),
                                        (None, b"", 0), (None, "half", 0), (None, "flip", 0), (None, b"9 from a newer version\n", 0),
                                        (b"", b"", 100)):
            with self.subTest(offset=offset, beside=beside):
                self.put("in.txt", self.first)
                self.put("out.txt", b"")
                for name in (fingerprint, "in.txt.g.offset"):
                    (self.folder / name).unlink(missing_ok=True)
                self.route(self.SOURCE)
                self.run_to_end()
                self.assertEqual(self.out("in.txt.g.offset"), whole)
                if offset is not None:
                    self.put("in.txt.g.offset", offset)
                if beside is not None:
                    good = self.out(fingerprint)
                    self.put(fingerprint, {"half": good[:len(good) // 2], "flip": good[:9] + bytes([good[9] ^ 1]) + good[10:]}.get(beside, beside))
                self.put("in.txt", self.more, "ab")
                running = self.run_to_end()
                self.assertRegex(running.text, r"'in\.txt\.g\.offset(\.fingerprint)?' is damaged")
                new = self.out()[len(self.first):]
                self.assertTrue((self.first + self.more).endswith(new))
                self.assertTrue(new.endswith(self.more))
                self.assertLessEqual(new.count(b"\n"), 10 + repeats)
                # It has mended itself.
                self.assertNotIn("damaged", self.run_to_end().text)

    def test_C069_a_position_that_cannot_be_written_keeps_the_route_from_reading(self):
        self.put("in.txt", self.first)
        (self.folder / "in.txt.g.offset.tmp").mkdir()
        self.route(self.SOURCE, drain=False)
        running = self.start("run", "routes.yaml")
        running.wait_for(r"cannot write 'in\.txt\.g\.offset': Is a directory")
        self.assertEqual(self.out(), b"")
        (self.folder / "in.txt.g.offset.tmp").rmdir()
        self.until(lambda: self.out() == self.first)
        self.stop(running)


if __name__ == "__main__":
    bridge.main()
