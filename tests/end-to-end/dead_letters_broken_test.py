"""Records of which a source makes no message are dead letters with their bytes and place, and the route goes on behind them."""
import base64

import bridge
from dead_letters import Letters

LONG = b"2," + b"x" * 60
OPEN = b'4,"never closed\n5,e\n'
CSV = b"id,name\n1,a\n" + LONG + b"\n3,c\n" + OPEN


class Broken(Letters):
    def setUp(self):
        super().setUp()
        (self.folder / "in.csv").write_bytes(CSV)

    def route_of(self, more=""):
        self.write("routes.yaml", f"orders:\n  exit_on_empty: true\n{more}"
                                  "  input: {file: {path: in.csv, format: csv, mode: group_subscribe, group_id: g, max_record_bytes: 40}}\n"
                                  "  output: {file: {path: out.txt, format: raw}}\n")

    def output(self):
        return (self.folder / "out.txt").read_bytes() if (self.folder / "out.txt").exists() else b""

    def test_each_is_a_dead_letter_once_and_can_be_replayed(self):
        self.route_of()
        ledger = self.run_to_end().ledgers()["orders"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["dead_lettered"]), (4, 2, 2))
        self.assertEqual(self.output(), b'{"id":"1","name":"a"}\n{"id":"3","name":"c"}\n')
        long, cut = self.dlq("list")
        for letter, at, number in ((long, CSV.index(LONG), 1), (cut, CSV.index(OPEN), 3)):
            self.assertEqual((letter["route"], letter["endpoint"], letter["class"]), ("orders", "input", "refused"))
            self.assertIn(f"at byte {at}", letter["error"])
            self.assertEqual(letter["source"]["mqb.src.file_record"], str(number))
            self.assertTrue(letter["source"]["mqb.src.file_path"].endswith("in.csv"))
        self.assertIn("more than max_record_bytes (40); here are its first 40", long["error"])
        self.assertIn("ends inside a quoted field", cut["error"])
        self.assertEqual(self.payloads(), [LONG[:40], OPEN])
        self.assertNotIn("mqb.error", str(self.dlq("show", str(cut["id"]))["metadata"]))

        # Settled like any other: nothing comes again.
        again = self.run_to_end().ledgers()["orders"]
        self.assertEqual((again["received"], len(self.dlq("list"))), (0, 2))

        self.assertEqual(self.bridge("dlq", "replay", "routes.yaml").returncode, 0)
        self.assertEqual(self.output().split(b"\n", 2)[2], LONG[:40] + b"\n" + OPEN + b"\n")

    def test_stop_keeps_the_place(self):
        self.route_of("  on_error: stop\n")
        for _ in range(2):
            running = self.run_to_end(code=1)
            ledger = running.ledgers()["orders"]
            self.assert_exact(ledger)
            self.assertIn("more than max_record_bytes (40)", ledger["cause"])
            # Nothing behind it is sent, and it is not passed.
            self.assertNotIn(b'"3"', self.output())
            self.assertLessEqual(int((self.folder / "in.csv.g.offset").read_bytes()), CSV.index(LONG))
        # Once the file is mended everything is there.
        (self.folder / "in.csv").write_bytes(CSV.replace(LONG, b"2,b").replace(OPEN, b""))
        self.assert_exact(self.run_to_end().ledgers()["orders"])
        self.assertEqual(sorted(set(self.output().splitlines())),
                         [b'{"id":"1","name":"a"}', b'{"id":"2","name":"b"}', b'{"id":"3","name":"c"}'])


if __name__ == "__main__":
    bridge.main()
