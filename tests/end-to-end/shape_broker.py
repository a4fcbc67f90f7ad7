"""shape_broker: starts the helper process that holds the queues of the shapes, talks to it, and runs routes between two of its queues."""
import collections
import json
import os
import socket
import struct
import subprocess

import bridge

BROKER = os.environ["MQB_SHAPE_BROKER"]
ADMIN = 9  # verb::admin of tests/shapes/broker/wire.hpp
LANES = 4

# shape -> factory; what an input has besides its shape
INPUTS = {
    "message": ("shape", ""), "prefix": ("shape", ""), "gated": ("shape", ", max_unsettled_messages: 700"), "replying": ("shape", ""),
    "batch": ("shape_blocking", ""), "lease": ("shape_blocking", ", lease_ms: 5000"),
}
OUTPUTS = {"plain": "shape_blocking", "one_at_a_time": "shape_blocking", "pipelined": "shape", "ordered": "shape", "idempotent": "shape"}
ORDERED = ("plain", "one_at_a_time", "ordered")  # what they promise


class Broker:
    """Lives until `close`, or until this process ends: it serves as long as its standard input is open."""

    def __init__(self, folder):
        self.path = str(folder / "broker")
        self.process = subprocess.Popen([BROKER, "serve", self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != b"ready\n":
            raise AssertionError("the broker did not start")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(self.path)
        self._socket.settimeout(bridge.PATIENCE)

    def tell(self, command):
        text = command.encode()
        self._socket.sendall(struct.pack("=IBQI", 13 + len(text), ADMIN, 1, len(text)) + text)
        size, = struct.unpack("=I", self._read(4))
        _, _, _, length = struct.unpack("=BQBI", self._read(14))
        answer = self._read(length).decode()
        if size != 14 + length or answer.startswith("error"):
            raise AssertionError(f"{command}: {answer}")
        return answer

    def summary(self, queue):
        return json.loads(self.tell(f"summary {queue}"))

    def arrived(self, queue):
        """The (partition, number) of all messages in the order of their arrival."""
        return [tuple(map(int, line.split(":"))) for line in self.tell(f"log {queue}").splitlines()]

    def close(self):
        self._socket.close()
        self.process.stdin.close()
        self.process.wait(timeout=bridge.PATIENCE)
        self.process.stdout.close()

    def _read(self, size):
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise AssertionError("the broker is gone")
            data += more
        return data


class Case(bridge.Case):
    def start_broker(self):
        self.broker = Broker(self.folder)
        self.addCleanup(self.broker.close)

    def route(self, source, sink, number=0, batch_size=100, responds=False, more=None):
        """One route of a route file, from the queue in-NUMBER to the queue out-NUMBER."""
        factory, options = INPUTS[source]
        options = options if more is None else more
        answers = ", responds: true" if responds else ""
        return f"""
{source}_to_{sink}:
  exit_on_empty: true
  batch_size: {batch_size}
  reconnect_interval_ms: 20
  input: {{{factory}: {{socket: {self.broker.path}, queue: in-{number}, shape: {source}, lanes: {LANES}{options}}}}}
  output: {{{OUTPUTS[sink]}: {{socket: {self.broker.path}, queue: out-{number}, shape: {sink}, lanes: {LANES}{answers}}}}}
"""

    def assert_source_is_empty(self, number, count):
        at_source = self.broker.summary(f"in-{number}")
        self.assertEqual((at_source["ready"], at_source["out"], at_source["delayed"]), (0, 0, 0), at_source)
        self.assertEqual(at_source["acknowledged"], count, at_source)
        self.assertEqual(at_source["violations"], [])
        return at_source

    def assert_nothing_missing(self, number, count):
        """Every message arrived; how many arrived again, and what order they came in."""
        arrived = self.broker.arrived(f"out-{number}")
        wanted = {(i % LANES, i // LANES) for i in range(count)}
        self.assertEqual(wanted - set(arrived), set())
        self.assertEqual(set(arrived) - wanted, set())
        return arrived

    def assert_lanes_in_order(self, arrived):
        """First arrivals, lane by lane: a message that comes again for good reason may repeat what follows it."""
        last = collections.defaultdict(lambda: -1)
        for lane, number in arrived:
            self.assertLessEqual(number, last[lane] + 1, f"lane {lane}: {number} came before {last[lane] + 1}")
            last[lane] = max(last[lane], number)
