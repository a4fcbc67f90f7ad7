"""ipc: routes from and to a socket, and peers that a test plays itself: MessagePack in frames of a length and a body."""
import socket
import struct

import bridge

HELLO = b"\x81\xa7mqb.ack\x01"


def text(value):
    raw = value.encode()
    return (bytes([0xa0 | len(raw)]) if len(raw) < 32 else bytes([0xd9, len(raw)])) + raw


def message(ident, payload, metadata=None):
    head = b"\x92" if metadata is None else b"\x93"
    body = head + text(ident) + b"\xc4" + bytes([len(payload)]) + payload
    if metadata is not None:
        body += bytes([0x80 | len(metadata)]) + b"".join(text(k) + text(v) for k, v in metadata.items())
    return body


def frame(*messages):
    body = bytes([0x90 | len(messages)]) + b"".join(messages) if len(messages) < 16 else struct.pack(">BH", 0xdc, len(messages)) + b"".join(messages)
    return struct.pack(">I", len(body)) + body


class Case(bridge.Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "s.sock"

    def reader(self, name="out.txt", more="", ack=False):
        """A route from the socket to a file."""
        return (f"reader:\n{more}  input: {{memory: {{url: 'unix://{self.path}', ack: {str(ack).lower()}}}}}\n"
                f"  output: {{file: {{path: {name}, format: raw}}}}\n")

    def writer(self, lines, ack=False, more="", mode="mode: group_subscribe, group_id: g"):
        """A route from a file to the socket."""
        (self.folder / "in.txt").write_bytes(lines)
        return (f"writer:\n  reconnect_interval_ms: 200\n{more}  input: {{file: {{path: in.txt, format: raw, {mode}}}}}\n"
                f"  output: {{memory: {{url: 'unix://{self.path}', ack: {str(ack).lower()}}}}}\n")

    def run_routes(self, name, text_, state):
        self.write(name, text_)
        return self.start("run", name, "--state-dir", state)

    def lines(self, name="out.txt"):
        path = self.folder / name
        return path.read_bytes().splitlines() if path.exists() else []

    def connect(self):
        peer = socket.socket(socket.AF_UNIX)
        self.addCleanup(peer.close)
        peer.settimeout(bridge.PATIENCE)
        peer.connect(str(self.path))
        return peer

    def until_listening(self):
        def listens():
            try:
                self.connect().close()
                return True
            except (FileNotFoundError, ConnectionRefusedError):
                return False
        self.until(listens)

    def take(self, peer):
        """The body of the next frame; None when the other side has closed."""
        def exactly(size):
            data = b""
            while len(data) < size:
                part = peer.recv(size - len(data))
                if not part:
                    return None
                data += part
            return data
        head = exactly(4)
        return None if head is None else exactly(struct.unpack(">I", head)[0])
