"""The same as kill_file with a compressed output and with an encrypted one: every batch is there whole, or not at all."""
import gzip

import bridge
import kill_file_test


class Packed(kill_file_test.KillFile):
    def written(self):
        """What the output has of the input, which is not as many bytes there."""
        return self.position()


class KillGzip(Packed):
    OUTPUT = "path: out.gz, format: raw, compression: gzip"

    def open_output(self):
        return gzip.open(self.folder / "out.gz")


class KillSealed(Packed):
    HOW = "path: out.enc, format: raw, compression: zstd, encryption: {key: AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=}"
    OUTPUT = HOW + ", fsync: batch"

    def open_output(self):
        self.write("open.yaml", f"flow: {{exit_on_empty: true, input: {{file: {{{self.HOW}}}}}, output: {{file: {{path: out.txt, format: raw}}}}}}\n")
        running = self.start("run", "open.yaml")
        self.assertEqual(running.end(), 0, running.text)
        return super().open_output()


del Packed

if __name__ == "__main__":
    bridge.main()
