"""Compressed and encrypted files: what other programs write is read and the other way round, and what is wrong with a file is said (C067)."""
import base64
import gzip
import json
import os
import subprocess
import zlib

import bridge

ENDINGS = {"gzip": "gz", "lz4": "lz4", "zstd": "zst"}
KEY = base64.b64encode(bytes(range(32))).decode()
OTHER_KEY = base64.b64encode(b"a secret of the other tenant ...").decode()
LINES = [b"%06d %s" % (i, b"x" * (i * 7 % 61)) for i in range(20_000)]
MOST_MEMORY_KIB = 64 * 1024


def tool(kind, data, *options):
    """What the system's own program makes of the data."""
    return subprocess.run([kind, *options, "-c"], input=data, check=True, capture_output=True).stdout


class Packed(bridge.Case):
    def put(self, name, data):
        (self.folder / name).write_bytes(data)

    def get(self, name):
        return (self.folder / name).read_bytes()

    def run_route(self, source, target="{file: {path: out.txt, format: raw}}"):
        """A drain of the route: its exit code, its state, what it said, and the lines in out.txt."""
        self.write("routes.yaml", f"flow:\n  exit_on_empty: true\n  input: {source}\n  output: {target}\n")
        (self.folder / "out.txt").unlink(missing_ok=True)
        running = self.start("run", "routes.yaml")
        code = running.end()
        ledger = running.ledgers()["flow"]
        self.assert_exact(ledger)
        out = self.folder / "out.txt"
        return code, ledger["state"], running.text, out.read_bytes().splitlines() if out.exists() else None

    def copy(self, source, target, code=0):
        done = self.bridge("copy", source, target, "--drain")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr


class Compression(Packed):
    def test_C067_gzip_of_several_members_with_padding_garbage_cut_and_empty(self):
        members = gzip.compress(b"hello\n") + gzip.compress(b"world\n")
        source = "{file: {path: c.gz, format: raw, compression: gzip}}"
        for data, lines, state, said in (
                (members, [b"hello", b"world"], "completed", None),
                (members + bytes(5000), [b"hello", b"world"], "completed", None),
                (members + b"garbage", [b"hello", b"world"], "completed", "bytes behind the last gzip member"),
                (members[:-5], [b"hello", b"world"], "failed", "'c.gz' ends inside the gzip member that begins at byte 26; the file looks truncated"),
                (members[:30], [b"hello"], "failed", "'c.gz' ends inside the gzip member that begins at byte 26; the file looks truncated"),
                (b"", None, "completed", None)):
            with self.subTest(data=data):
                self.put("c.gz", data)
                code, ended, text, out = self.run_route(source)
                self.assertEqual((code, ended, out or None), (0 if state == "completed" else 1, state, lines), text)
                self.assertEqual(text.count("warning"), 1 if data.endswith(b"garbage") else 0, text)
                if said:
                    self.assertIn(said, text)

    def test_what_other_programs_compressed_is_read(self):
        data = b"".join(line + b"\n" for line in LINES)
        for kind, ending in ENDINGS.items():
            for options in ([], ["-1"], ["-9"]):
                with self.subTest(kind, options=options):
                    half = len(data) // 2
                    self.put("in", tool(kind, data[:half], *options) + tool(kind, data[half:]))
                    code, state, text, out = self.run_route(f"{{file: {{path: in, format: raw, compression: {kind}}}}}")
                    self.assertEqual((code, state, out == LINES), (0, "completed", True), text)

    def test_what_is_written_is_read_by_other_programs_and_can_be_appended_to(self):
        data = b"".join(line + b"\n" for line in LINES)
        self.put("in.txt", data)
        for kind, ending in ENDINGS.items():
            with self.subTest(kind):
                self.put("packed", tool(kind, b"before\n"))
                self.run_route("{file: {path: in.txt, format: raw}}", f"{{file: {{path: packed, format: raw, compression: {kind}, fsync: batch}}}}")
                self.assertLess(len(self.get("packed")), len(data) / 2)
                self.assertEqual(tool(kind, self.get("packed"), "-d"), b"before\n" + data)
                self.assertFalse((self.folder / "packed.writing").exists())

    def test_every_format_works_on_what_is_in_a_compressed_file(self):
        self.put("in.csv.gz", gzip.compress(b'a;b\n1;"x') + gzip.compress(b'\ny"\n2;z\n'))
        self.copy('file:in.csv.gz?format=csv&csv={"separator":";"}', "file:a.jsonl.zst")
        self.copy("file:a.jsonl.zst", "file:b.jsonl.lz4?format=json")
        self.copy("file:b.jsonl.lz4?format=json", "file:c.jsonl.gz?format=text")
        self.copy("file:c.jsonl.gz?format=text", "file:d.txt?format=raw")
        self.assertEqual(self.get("d.txt"), b'{"a":"1","b":"x\\ny"}\n{"a":"2","b":"z"}\n')
        self.assertEqual(json.loads(gzip.decompress(self.get("c.jsonl.gz")).splitlines()[1])["payload"], '{"a":"2","b":"z"}')

    def test_copy_takes_the_compression_from_the_end_of_the_path(self):
        self.put("in.txt", b"a\nb\n")
        for kind, ending in ENDINGS.items():
            self.copy("file:in.txt?format=raw", f"file:out.{ending}?format=raw")
            self.assertEqual(tool(kind, self.get(f"out.{ending}"), "-d"), b"a\nb\n")
            self.copy(f"file:out.{ending}?format=raw", f"file:back.{ending}.txt?format=raw")
            self.assertEqual(self.get(f"back.{ending}.txt"), b"a\nb\n")
        self.copy("file:in.txt?format=raw", "file:plain.gz?format=raw&compression=none")
        self.assertEqual(self.get("plain.gz"), b"a\nb\n")
        self.assertIn("'plain.gz' does not begin with a gzip magic header", self.copy("file:plain.gz?format=raw", "null:", code=1))

    def test_standard_streams_can_be_compressed(self):
        done = subprocess.run([bridge.BINARY, "copy", "-?format=raw&compression=gzip", "-?format=raw&compression=zstd"], cwd=self.folder,
                              env=bridge.environment(), input=gzip.compress(b"a\n") + gzip.compress(b"b\n"), capture_output=True, timeout=bridge.PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(tool("zstd", done.stdout, "-d"), b"a\nb\n")

    def test_a_file_of_another_kind_is_refused_with_the_option_that_reads_it(self):
        self.put("c.gz", gzip.compress(b"a\n"))
        code, state, text, _ = self.run_route("{file: {path: c.gz, format: raw}}")
        self.assertEqual((code, state), (1, "failed"))
        self.assertIn("'c.gz' begins with a gzip magic header but no `compression` is configured; `compression: gzip` reads it", text)
        code, state, text, _ = self.run_route("{file: {path: c.gz, format: raw, compression: zstd}}")
        self.assertEqual((code, state), (1, "failed"))
        self.assertIn("'c.gz' does not begin with a zstd magic header but with one of gzip", text)
        self.put("in.txt", b"a\n")
        before = self.get("c.gz")
        code, state, text, _ = self.run_route("{file: {path: in.txt, format: raw}}", "{file: {path: c.gz, format: raw, compression: lz4}}")
        self.assertEqual((code, state, self.get("c.gz")), (1, "failed", before))
        self.assertIn("file target 'c.gz' begins with a gzip magic header, and not with one of lz4", text)

    def test_positions_in_such_a_file_are_refused_at_load(self):
        self.write("routes.yaml", "flow: {input: {file: {path: c.gz, compression: gzip, mode: group_subscribe, group_id: g}}, output: null}\n")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("compression: such an input is read with `mode: consume` and without `delete` only", done.stderr)

    def test_members_that_come_later_are_read_while_it_runs(self):
        self.put("c.gz", gzip.compress(b"a\n"))
        self.write("routes.yaml", "flow: {input: {file: {path: c.gz, format: raw, compression: gzip}}, output: {file: {path: out.txt, format: raw}}}\n")
        running = self.start("run", "routes.yaml")
        out = self.folder / "out.txt"
        expected = b"a\n"
        for more in (b"b\n", b"c\nd\n"):
            self.until(lambda: out.exists() and out.read_bytes() == expected)
            with open(self.folder / "c.gz", "ab") as file:
                for byte in gzip.compress(more):
                    file.write(bytes([byte]))
                    file.flush()
            expected += more
        self.until(lambda: out.read_bytes() == expected)
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_a_bomb_is_read_in_bounded_memory(self):
        """1 GiB of zeros in 1 MiB is one broken record; the line behind it arrives."""
        bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
        packed = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(1024)) + bomb.flush()
        self.assertLess(len(packed), 1100_000)
        self.put("bomb.gz", packed + gzip.compress(b"\nbehind\n"))
        self.write("routes.yaml", "flow:\n  exit_on_empty: true\n  input: {file: {path: bomb.gz, format: raw, compression: gzip, max_record_bytes: 1 MiB}}\n"
                                  "  output: {file: {path: out.txt, format: raw}}\n")
        with open(self.folder / "stderr", "wb") as errors:
            process = subprocess.Popen([bridge.BINARY, "run", "routes.yaml"], cwd=self.folder, env=bridge.environment(), stderr=errors,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, self.get("stderr"))
        self.assertEqual(self.get("out.txt"), b"behind\n")
        print(f"1 GiB of zeros: peak {usage.ru_maxrss} KiB, {usage.ru_utime + usage.ru_stime:.2f} s of CPU time")
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(usage.ru_maxrss, MOST_MEMORY_KIB)


class Encryption(Packed):
    def block(self, key=KEY, more=""):
        return f"encryption: {{key: {key}, key_id: k1{more}}}"

    def test_what_is_sealed_opens_with_the_right_key_only(self):
        self.put("in.txt", b"".join(line + b"\n" for line in LINES))
        for compression in ("none", *ENDINGS):
            for number, cipher in enumerate(("xchacha20poly1305", "aes256gcm")):
                with self.subTest(compression, cipher=cipher):
                    (self.folder / "sealed").unlink(missing_ok=True)
                    target = f"{{file: {{path: sealed, format: raw, compression: {compression}, {self.block(more=', cipher: ' + cipher)}}}}}"
                    self.assertEqual(self.run_route("{file: {path: in.txt, format: raw}}", target)[:2], (0, "completed"))
                    sealed = self.get("sealed")
                    self.assertEqual(sealed[:4] + sealed[8:13], bytes(4) + bytes([1, number, 2]) + b"k1")
                    self.assertNotIn(LINES[100], sealed)
                    self.assertNotIn(bytes(range(32)), sealed)
                    options = f"format: raw, compression: {compression}"
                    code, state, text, out = self.run_route(f"{{file: {{path: sealed, {options}, {self.block()}}}}}")
                    self.assertEqual((code, state, out == LINES), (0, "completed", True), text)
                    rotated = f"encryption: {{key: {OTHER_KEY}, key_id: new, decrypt_keys: {{k1: {KEY}}}}}"
                    code, state, text, out = self.run_route(f"{{file: {{path: sealed, {options}, {rotated}}}}}")
                    self.assertEqual((code, out == LINES), (0, True), text)
                    code, state, text, out = self.run_route(f"{{file: {{path: sealed, {options}, {self.block(OTHER_KEY)}}}}}")
                    self.assertEqual((code, state, out or None), (1, "failed", None))
                    self.assertIn("the encrypted block at byte 0 cannot be read: the envelope does not open", text)
                    self.assertNotIn(OTHER_KEY, text)

    def test_with_and_without_the_block_are_told_apart(self):
        self.put("in.txt", b"a\n")
        self.run_route("{file: {path: in.txt, format: raw}}", f"{{file: {{path: sealed, format: raw, {self.block()}}}}}")
        code, _, text, _ = self.run_route("{file: {path: sealed, format: raw}}")
        self.assertEqual(code, 1)
        self.assertIn("'sealed' looks encrypted but no `encryption` is configured", text)
        code, _, text, _ = self.run_route(f"{{file: {{path: in.txt, format: raw, {self.block()}}}}}")
        self.assertEqual(code, 1)
        self.assertIn("'in.txt' is not encrypted, but `encryption` is configured", text)

    def test_keys_are_never_shown(self):
        secret = base64.b64encode(b"no 32 bytes, but secret").decode()
        for key, said in ((secret, "encryption.key: base64 of exactly 32 bytes was expected"), (KEY, None)):
            self.write("routes.yaml", f"flow:\n  exit_on_empty: true\n  input: {{file: {{path: none, {self.block(key)}}}}}\n"
                                      f"  output: {{file: {{path: out, encryption: {{key: {KEY}, decrypt_keys: {{old: {key}}}}}}}}}\n")
            for command in (["check", "routes.yaml"], ["check", "--json", "routes.yaml"], ["check", "--connect", "routes.yaml"],
                            ["run", "routes.yaml", "--log-level", "debug"]):
                with self.subTest(command):
                    done = self.bridge(*command)
                    text = done.stdout + done.stderr
                    self.assertNotIn(key, text)
                    if said:
                        self.assertIn(said, text)
        done = self.bridge("copy", f'file:none?encryption={{"key":"{secret}"}}', "null:", "--drain")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn(secret, done.stdout + done.stderr)


if __name__ == "__main__":
    bridge.main()
