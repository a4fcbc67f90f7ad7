"""What the host holds: max_in_flight_bytes with an output that never answers, and a hundred routes with nothing to do."""
import json
import os
import pathlib
import time

import bridge
import shape_broker

LONG = bool(os.environ.get("MQB_LONG"))
LIMIT_MIB = 64
REST_MIB = 20
IDLE = "idle: {input: {file: {path: empty, format: raw}}, output: null}\n"


class Memory(shape_broker.Case):
    def status(self, running, key):
        """KiB of a line of the kernel's status of the process."""
        for text in pathlib.Path(f"/proc/{running.process.pid}/status").read_text().splitlines():
            if text.startswith(key + ":"):
                return int(text.split()[1])
        raise AssertionError(f"no {key}")

    def read_so_far(self, running):
        """Bytes that the process has read of whatever there is."""
        return int(pathlib.Path(f"/proc/{running.process.pid}/io").read_text().split()[1])

    def wait_until_it_reads_no_more(self, running):
        """For a second no more than wake-ups and looks at what there is."""
        before, since, until = self.read_so_far(running), time.monotonic(), time.monotonic() + bridge.PATIENCE
        while time.monotonic() - since < 1:
            self.assertLess(time.monotonic(), until, running.text)
            self.assertIsNone(running.process.poll(), running.text)
            now = self.read_so_far(running)
            if now - before > 4096:
                before, since = now, time.monotonic()
            time.sleep(0.02)
        return before

    def peak(self, more):
        self.write("routes.yaml", IDLE + more)
        running = self.start("run", "routes.yaml")
        self.assertTrue(running.wait_for("idle: .*at "))
        read = self.wait_until_it_reads_no_more(running)
        peak = self.status(running, "VmHWM")
        running.process.kill()
        running.end()
        return peak, read

    def hold(self, line, count, output, batch_size=512):
        """MiB that the route takes, and how much it has read, when nothing that it sends is ever answered."""
        self.write("empty", "")
        with open(self.folder / "in.txt", "wb") as file:
            for _ in range(count):
                file.write(line)
        alone, own = self.peak("")
        both, all_read = self.peak(f"""
held:
  max_in_flight_bytes: {LIMIT_MIB} MiB
  batch_size: {batch_size}
  input: {{file: {{path: in.txt, format: raw}}}}
  output: {output}
""")
        held, read = (both - alone) / 1024, all_read - own
        print(f"messages of {len(line) - 1} bytes, batches of {batch_size}: {held:.1f} MiB more than without the route, "
              f"limit {LIMIT_MIB} MiB, {read} bytes read")
        self.assertLess(read, len(line) * count, "the input was too short to reach a bound")
        self.assertGreater(read, len(line))
        return held, read

    def never(self, entries):
        (self.folder / "never.json").write_text(json.dumps([{"answer": "never"}] * entries))
        return f"{{scripted: {{script: {self.folder}/never.json}}}}"

    def assert_held(self, held):
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(held, LIMIT_MIB + REST_MIB)

    def test_an_output_that_never_answers_small_messages(self):
        held, _ = self.hold(b"x" * 20 + b"\n", 1_000_000, self.never(10_000))
        self.assert_held(held)

    def test_an_output_that_never_answers_large_messages(self):
        held, read = self.hold(b"x" * 10_000_000 + b"\n", 16, self.never(100))
        self.assert_held(held)
        # All that fit, the one that passes the bound, and what was read behind it.
        self.assertLess(read, (LIMIT_MIB << 20) + 10_000_000 + (1 << 20))

    def test_the_bound_counts_every_message(self):
        """So many small messages that their number is what reaches the bound."""
        self.start_broker()
        self.broker.tell("chance out send mute 1")
        batch = 60_000
        _, read = self.hold(b"x" * 20 + b"\n", 1_000_000, f"{{shape: {{socket: {self.broker.path}, queue: out, shape: pipelined}}}}", batch)
        self.assertLess(read // 21 * (20 + 128), (LIMIT_MIB << 20) + batch * (20 + 128))
        self.assertGreater(read // 21 * (20 + 128), (LIMIT_MIB << 20) // 2)

    def test_a_hundred_idle_routes(self):
        self.write("routes.yaml", "".join(f"r{i}: {{input: {{memory: {{topic: t{i}}}}}, output: null}}\n" for i in range(100)))
        running = self.start("run", "routes.yaml")
        self.assertTrue(running.wait_for("r99: memory to null: "))

        def all_run():
            done = self.bridge("status", "--json")  # the host may not have begun
            routes = json.loads(done.stdout)["routes"] if done.returncode == 0 else {}
            return [route["state"] for route in routes.values()] == ["running"] * 100
        self.until(all_run)  # making a hundred routes is no idling

        def used():
            fields = pathlib.Path(f"/proc/{running.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        before, begin = used(), time.monotonic()
        time.sleep(60 if LONG else 3)  # what is measured is time itself
        share = (used() - before) / (time.monotonic() - begin)
        rss = self.status(running, "VmRSS") / 1024
        print(f"100 idle routes: {100 * share:.2f} % of one core, {rss:.1f} MiB")
        if not os.environ.get("MQB_SANITIZED"):
            self.assertLess(share, 0.01 if LONG else 0.05)
            self.assertLess(rss, 60)


if __name__ == "__main__":
    bridge.main()
