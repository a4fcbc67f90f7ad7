"""buffer in routes: single sends of workers become batches, where it may stand, and what is said of wrong settings."""
import json

import bridge


class Buffer(bridge.Case):
    def test_single_sends_become_batches(self):
        self.write("requests.json", json.dumps([{"payload": f"m{i}"} for i in range(40)]))
        self.write("answers.json", "[]")
        for more in ("", "  concurrency: 4\n"):
            with self.subTest(more):
                (self.folder / "publisher.log").unlink(missing_ok=True)
                self.write("routes.yaml", f"r:\n  exit_on_empty: true\n  batch_size: 1\n{more}  input: {{scripted: {{script: requests.json, log: consumer.log}}}}\n"
                                          "  output:\n    scripted: {script: answers.json, log: publisher.log}\n    middlewares: [buffer: {max_messages: 4, max_delay_ms: 20}]\n")
                running = self.start("run", "routes.yaml")
                self.assertEqual(running.end(), 0, running.text)
                self.assert_delivered(running.ledgers()["r"], 40)
                answered = [line for line in (self.folder / "publisher.log").read_text().splitlines() if " answered " in line]
                sizes = [int(line.rsplit(" ", 1)[1]) for line in answered]
                self.assertEqual(sum(sizes), 40)
                self.assertLessEqual(max(sizes), 4)
                self.assertGreater(max(sizes), 1)

    def test_between_two_routes_over_memory(self):
        (self.folder / "in.txt").write_text("".join(f"{i}\n" for i in range(1000)))
        self.write("routes.yaml", """
a:
  exit_on_empty: true
  batch_size: 3
  input: {file: {path: in.txt, format: raw}}
  output: {memory: {topic: t}}
b:
  input:
    memory: {topic: t}
    middlewares:
      - filter: "true"
      - buffer: {max_messages: 50, max_delay_ms: 5}
  output: {file: {path: out.txt, format: raw}}
""".replace('filter: "true"', "filter: \"meta['none'] == null\""))
        running = self.start("run", "routes.yaml")
        out = self.folder / "out.txt"
        self.until(lambda: out.exists() and out.read_text().count("\n") == 1000)
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)
        self.assertEqual(out.read_text(), (self.folder / "in.txt").read_text())

    def test_where_it_may_not_stand_and_wrong_settings(self):
        needs = "cannot stand at this input: only next to a source that keeps its messages in this process"
        rows = [("file: {path: a.txt}", ["buffer: {max_messages: 5, max_delay_ms: 5}"], [f"5:9: r.input.middlewares[0].buffer: {needs}"]),
                ("memory: {topic: t}", ["buffer: {max_messages: 5, max_delay_ms: 5}", "delay: {delay_ms: 1}"],
                 ["5:9: r.input.middlewares[0].buffer: has to be the last entry of the list: on an input it stands next to the source"]),
                ("memory: {topic: t}", ["buffer: {max_messages: 5, max_delay_ms: 0}"], ["5:9: r.input.middlewares[0].buffer: max_delay_ms: has to be more than 0 on an input"]),
                ("memory: {topic: t}", ["buffer: {max_messages: 0}"],
                 ["5:9: r.input.middlewares[0].buffer.max_delay_ms: missing", "5:32: r.input.middlewares[0].buffer.max_messages: has to be at least 1"])]
        for source, entries, said in rows:
            with self.subTest(entries):
                self.write("routes.yaml", f"r:\n  input:\n    {source}\n    middlewares:\n" + "".join(f"      - {entry}\n" for entry in entries) + "  output: {file: {path: b.txt}}\n")
                done = self.bridge("check", "routes.yaml")
                self.assertEqual((done.returncode, sorted(done.stderr.splitlines())), (2, sorted(f"routes.yaml:{line}" for line in said)))


if __name__ == "__main__":
    bridge.main()
