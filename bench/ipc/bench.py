#!/usr/bin/env python3
"""bench.py MQBRIDGE PLUGIN_DIR FLOOR [MESSAGES] [PEER]: 200 bytes a message, in batches of 128, from a constant source to nowhere:
through a socket between two processes, without and with confirmations, and through a channel of one process.

Prints messages per CPU second of all processes together and peak memory of each, as medians, and the ratios to the floor and, where
PEER (or the variable MQB_BENCH_PEER) names the program of mq-bridge, to that.
"""
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROUNDS = 5
BATCH = 128
BODY = "x" * 200
PATIENCE = 120


class Programs:
    """Processes of one measurement, with what they have used so far."""

    def __init__(self, folder):
        self.folder = folder
        self.running = []

    def start(self, name, command, **more):
        with open(os.path.join(self.folder, name + ".log"), "w", encoding="utf-8") as log:
            self.running.append(subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **more))

    def used(self):
        """CPU seconds of those that run."""
        ticks = 0
        for one in self.running:
            with open(f"/proc/{one.pid}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(") ", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def peaks(self):
        """MiB of each that runs."""
        out = []
        for one in self.running:
            with open(f"/proc/{one.pid}/status", encoding="utf-8") as file:
                out.append(int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024)
        return out

    def wait(self):
        """Until all have ended by themselves: CPU seconds of all, and MiB of each."""
        used, peaks = 0, []
        for one in self.running:
            _, status, usage = os.wait4(one.pid, 0)
            one.returncode = os.waitstatus_to_exitcode(status)
            if one.returncode != 0:
                self.stop()
                sys.exit(f"{' '.join(map(str, one.args))} ended with {one.returncode}")
            used += usage.ru_utime + usage.ru_stime
            peaks.append(usage.ru_maxrss / 1024)
        return used, peaks

    def stop(self):
        for one in self.running:
            if one.returncode is None:
                one.send_signal(signal.SIGTERM)
        for one in self.running:
            if one.returncode is None:
                try:
                    one.wait(10)
                except subprocess.TimeoutExpired:
                    one.kill()
                    one.wait()


def until(holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            sys.exit("it does not begin")
        time.sleep(0.01)


def ours(mqbridge, plugins, messages, work):
    """One run of a work: messages per CPU second and peaks."""
    def route(name, source, target):
        return f"{name}:\n  batch_size: {BATCH}\n  input: {source}\n  output: {target}\n"
    with tempfile.TemporaryDirectory() as folder:
        topic = os.path.join(folder, "s.sock")
        endpoint = "{memory: {topic: t}}" if work == "memory" else \
            f"{{memory: {{topic: 'unix://{topic}', ack: {str(work == 'ipc ack').lower()}}}}}"
        reader = route("reader", endpoint, "null")
        writer = route("writer", f"{{static: {{body: {BODY}, count: {messages}}}}}", endpoint)
        programs = Programs(folder)
        for name, text in [("both", reader + writer)] if work == "memory" else [("reader", reader), ("writer", writer)]:
            with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
                file.write(text)
            programs.start(name, [mqbridge, "run", "--drain", "--state-dir", f"{folder}/state-{name}", "--plugin-dir", plugins, f"{name}.yaml"])
            if name == "reader":
                until(lambda: os.path.exists(topic))
        used, peaks = programs.wait()
        return messages / used, peaks


def peer(program, work):
    """The same through the program of the peer, which does not end by itself: a window of some seconds, by its own counter."""
    def route(name, source, target):
        return f"  {name}:\n    concurrency: 1\n    batch_size: {BATCH}\n    input: {source}\n    output: {target}\n"
    with tempfile.TemporaryDirectory() as folder:
        topic = f"ipc://{folder}/s.sock" if work == "ipc" else "t"
        endpoint = f'memory: {{topic: "{topic}", capacity: 1000}}'
        port = free_port()
        reader = route("reader", f"{{middlewares: [{{metrics: {{}}}}], {endpoint}}}", '{"null": null}')
        writer = route("writer", f'{{static: {{body: "{BODY}", raw: true}}}}', f"{{{endpoint}}}")
        programs = Programs(folder)
        for name, text in [("both", reader + writer)] if work == "memory" else [("reader", reader), ("writer", writer)]:
            with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
                file.write("routes:\n" + text)
            measured = ["--no-metrics"] if name == "writer" else ["--metrics-addr", f"127.0.0.1:{port}"]
            programs.start(name, [program, "--config", f"{name}.yaml", "--no-ui", *measured])
            if name == "reader":
                until(lambda: os.path.exists(f"{folder}/s.sock"))

        def count():
            try:
                text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5).read().decode()
            except OSError:
                return 0
            return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("queue_messages_processed_total"))
        try:
            until(lambda: count() > 0)
            before, used = count(), programs.used()
            time.sleep(3)
            return (count() - before) / (programs.used() - used), programs.peaks()
        finally:
            programs.stop()


def free_port():
    import socket
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def floor(program, messages):
    """Messages per CPU second of each round of the floor that keeps what it reads."""
    text = subprocess.run([program, str(messages)], check=True, capture_output=True, text=True).stdout
    return [float(n) for n in re.findall(r"ipc slab per read.* wall +(\d+) /cpu-s", text)]


def main():
    mqbridge, plugins, floor_program = map(os.path.abspath, sys.argv[1:4])  # they run elsewhere
    messages = int(sys.argv[4]) if len(sys.argv) > 4 else 20_000_000
    peer_program = sys.argv[5] if len(sys.argv) > 5 else os.environ.get("MQB_BENCH_PEER")
    peer_program = peer_program and os.path.abspath(peer_program)
    works = ["ipc", "ipc ack", "memory"]
    rates, peaks = {}, {}

    def note(name, result):
        rates.setdefault(name, []).append(result[0])
        peaks[name] = max(peaks.get(name, []), result[1])
    for _ in range(ROUNDS):
        for work in works:
            note(work, ours(mqbridge, plugins, messages, work))
        rates.setdefault("floor", []).extend(floor(floor_program, messages // 10))
        if peer_program:
            for work in ("ipc", "memory"):
                note("peer " + work, peer(peer_program, work))
    rate = {name: statistics.median(all_runs) for name, all_runs in rates.items()}
    print(f"200 bytes, batches of {BATCH}, {messages} messages, median of {ROUNDS}")
    for name in rate:
        memory = " + ".join(f"{one:.1f}" for one in peaks.get(name, []))
        print(f"  {name:12} {rate[name] / 1e6:6.2f} M messages per CPU second [{min(rates[name]) / 1e6:.2f}-{max(rates[name]) / 1e6:.2f}]"
              + (f"   peak {memory} MiB" if memory else ""))
    print(f"  ipc of the floor {rate['ipc'] / rate['floor']:.0%}, with confirmations {rate['ipc ack'] / rate['ipc']:.0%} of without")
    if peer_program:
        print(f"  of the peer: ipc {rate['ipc'] / rate['peer ipc']:.2f} x, memory {rate['memory'] / rate['peer memory']:.2f} x")


if __name__ == "__main__":
    main()
