"""A program that forgets one message: its own ledger finds it, and the run fails with the route and the difference."""
import os

import bridge


class InjectedLoss(bridge.Case):
    def run_with(self, program):
        self.write("in.txt", "".join(f"{i}\n" for i in range(1000)))
        self.write("routes.yaml", """
honest: {exit_on_empty: true, input: {file: {path: in.txt, format: raw}}, output: {file: {path: out.txt, format: raw}}}
""")
        bridge.BINARY, before = program, bridge.BINARY
        try:
            running = self.start("run", "routes.yaml")
            return running, running.end()
        finally:
            bridge.BINARY = before

    def test_the_ledger_finds_it(self):
        running, code = self.run_with(os.environ["MQB_FORGETFUL"])
        self.assertEqual(code, 1, running.text)
        self.assertRegex(running.text, r"error honest: .*the ledger does not add up: received 1000, accounted 999")
        ledger = running.ledgers()["honest"]
        self.assertEqual((ledger["state"], ledger["received"], ledger["delivered"], ledger["in_flight"]), ("failed", 1000, 999, 0))
        self.assertEqual((self.folder / "out.txt").read_text().count("\n"), 1000)

    def test_the_program_itself_loses_nothing(self):
        running, code = self.run_with(bridge.BINARY)
        self.assertEqual(code, 0, running.text)
        self.assert_delivered(running.ledgers()["honest"], 1000)


if __name__ == "__main__":
    bridge.main()
