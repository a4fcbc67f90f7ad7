"""compression in routes: what goes out is what other programs read, what comes back is what went out; C098: bombs, damage, what is not compressed."""
import gzip
import os
import resource
import zlib

import bridge
import dead_letters

LIMIT = 32 << 20
ROWS = [f'{{"n":{i},"text":"{"word " * (i % 50)}"}}' for i in range(500)]


def zeros(size):
    """gzip of so many zeros, without them in memory."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    out = []
    for _ in range(size >> 20):
        out.append(packer.compress(bytes(1 << 20)))
    return b"".join(out) + packer.flush()


class Compression(dead_letters.Letters):
    def spool(self, payloads, name="in"):
        (self.folder / name).mkdir()
        for i, payload in enumerate(payloads):
            (self.folder / name / f"{i:09}.bin").write_bytes(payload)
        (self.folder / name / "DONE").write_text("")

    def unpack(self, options, code=0):
        self.write("routes.yaml", f"r:\n  exit_on_empty: true\n  input:\n    dir_spool: {{path: in, stop_on_done: true}}\n    middlewares: [compression: {{{options}}}]\n"
                                  "  output: {file: {path: out.txt, format: raw}}\n")
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        self.said = running.text
        ledger = running.ledgers()["r"]
        self.assert_exact(ledger)
        return {name: ledger[name] for name in bridge.COUNTERS if ledger[name]}

    def out(self):
        path = self.folder / "out.txt"
        return path.read_bytes().splitlines() if path.exists() else []

    def test_what_goes_out_comes_back_and_others_can_read_it(self):
        (self.folder / "in.jsonl").write_text("".join(row + "\n" for row in ROWS))
        for algorithm in ("gzip", "lz4", "zstd", "none"):
            with self.subTest(algorithm):
                self.write("routes.yaml", f"out:\n  exit_on_empty: true\n  input: {{file: {{path: in.jsonl, format: raw}}}}\n"
                                          f"  output:\n    dir_spool: {{path: {algorithm}, emit_done: success, fsync: off}}\n    middlewares: [compression: {{algorithm: {algorithm}}}]\n")
                self.assertEqual(self.start("run", "routes.yaml").end(), 0)
                chunks = sorted((self.folder / algorithm).glob("*.bin"))
                self.assertEqual(len(chunks), len(ROWS))
                if algorithm in ("gzip", "none"):
                    plain = [gzip.decompress(c.read_bytes()) if algorithm == "gzip" else c.read_bytes() for c in chunks]
                    self.assertEqual([text.decode() for text in plain], ROWS)
                self.write("routes.yaml", f"back:\n  exit_on_empty: true\n  input:\n    dir_spool: {{path: {algorithm}, stop_on_done: true}}\n    middlewares: [compression: {{algorithm: {algorithm}}}]\n"
                                          f"  output: {{file: {{path: {algorithm}.jsonl, format: raw}}}}\n")
                self.assertEqual(self.start("run", "routes.yaml").end(), 0)
                self.assertEqual((self.folder / f"{algorithm}.jsonl").read_text().splitlines(), ROWS)

    def test_C098_ten_bombs_and_what_follows(self):
        plain = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        bomb = zeros(1 << 30)
        self.assertLess(len(bomb), 2 << 20)
        self.spool([gzip.compress(b"first"), *[bomb] * 10, gzip.compress(b"last")])
        counts = self.unpack(f"algorithm: gzip, max_decompressed_bytes: {LIMIT}")
        self.assertEqual(counts, {"delivered": 2, "dead_lettered": 10})
        self.assertEqual(self.out(), [b"first", b"last"])
        self.assertEqual({letter["error"] for letter in self.dlq("list")}, {f"compression: more than {LIMIT} bytes come out of the payload (max_decompressed_bytes)"})
        if "MQB_SANITIZED" not in os.environ:
            # In kB. Beside the limit: the program itself, and ten payloads of 1 MB with their dead letters.
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, max(plain, 0) + (2 * LIMIT + (96 << 20)) // 1024)

    def test_C098_damage_and_what_is_not_compressed_is_never_passed_on(self):
        whole = gzip.compress(b"a text that is long enough to be cut off")
        nested = gzip.compress(gzip.compress(b"inside"))
        self.spool([b"plain", whole[:-3], whole[:15], whole + b"more", b"", nested, whole])
        counts = self.unpack("algorithm: gzip")
        self.assertEqual(counts, {"delivered": 2, "dead_lettered": 5})
        # One layer is taken off.
        self.assertEqual(gzip.decompress((self.folder / "out.txt").read_bytes().split(b"\na text")[0]), b"inside")
        errors = [letter["error"] for letter in self.dlq("list")]
        self.assertRegex(errors[0], "^compression: the payload is no gzip data, or damaged: ")
        self.assertEqual(errors[1:], ["compression: the gzip data of the payload are cut off", "compression: the gzip data of the payload are cut off",
                                      "compression: there are 4 bytes behind the gzip data of the payload", "compression: the gzip data of the payload are cut off"])

    def test_C098_a_frame_that_announces_4_GiB(self):
        self.spool([b"\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x01\x00\x00\x00\x29\x00\x00hello", bytes.fromhex("28b52ffd045831000068656c6c6f0a5388bd91")])
        self.assertEqual(self.unpack("algorithm: zstd"), {"delivered": 1, "dead_lettered": 1})
        self.assertEqual((self.folder / "out.txt").read_bytes(), b"hello\n\n")

    def test_on_error_drop_discards_counts_and_tells_once(self):
        self.spool([b"plain", gzip.compress(b"good"), b"plain too"])
        self.assertEqual(self.unpack("algorithm: gzip, on_error: drop"), {"delivered": 1, "discarded": 2})
        self.assertEqual(self.out(), [b"good"])
        self.assertEqual(self.said.count("the message is discarded, and others will only be counted"), 1)

    def test_wrong_settings_and_places(self):
        rows = [("output", "compression: {algorithm: rar}", '7:34: r.output.middlewares[0].compression.algorithm: "rar" is not known here; known are none, gzip, lz4 or zstd'),
                ("output", "compression: {max_decompressed_bytes: 0}", "7:47: r.output.middlewares[0].compression.max_decompressed_bytes: has to be at least 1"),
                ("input", "compression: {level: 3}", "7:23: r.input.middlewares[0].compression.level: unknown key")]
        for side, what, said in rows:
            with self.subTest(what):
                other = "output" if side == "input" else "input"
                self.write("routes.yaml", f"r:\n  {other}:\n    file: {{path: a.txt}}\n  {side}:\n    file: {{path: b.txt}}\n    middlewares:\n      - {what}\n")
                done = self.bridge("check", "routes.yaml")
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"routes.yaml:{said}", done.stderr)


if __name__ == "__main__":
    bridge.main()
