"""Frames of the peer, as they were recorded: read by ours, in whole and in pieces, and written byte for byte."""
import pathlib
import socket

import bridge
import ipc
from ipc import frame, message

RECORDED = pathlib.Path(__file__).parent / "peer-frames"
FRAMES = bytes.fromhex((RECORDED / "frames.hex").read_text())
MESSAGES = (RECORDED / "messages.jsonl").read_bytes()


class Peer(ipc.Case):
    def start_reader(self):
        running = self.run_routes("r.yaml", self.reader().replace("format: raw", "format: normal"), "state")
        self.until_listening()
        return running

    def stop(self, running):
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    def test_what_the_peer_writes_is_read(self):
        running = self.start_reader()
        peer = self.connect()
        peer.sendall(FRAMES)
        self.until(lambda: len(self.lines()) == len(MESSAGES.splitlines()))
        self.stop(running)
        self.assertEqual(self.lines(), MESSAGES.splitlines())
        self.assertEqual(peer.recv(1), b"")  # nothing ever came back: the peer never reads

    def test_a_frame_that_comes_byte_by_byte_is_read_across_a_pause(self):
        running = self.start_reader()
        peer = self.connect()
        half = len(FRAMES) // 2
        for at in range(half):
            peer.sendall(FRAMES[at:at + 1])
        for word in ("pause", "resume"):
            done = self.bridge(word, "reader", "--state-dir", "state")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.lines(), [])
        for at in range(half, len(FRAMES)):
            peer.sendall(FRAMES[at:at + 1])
        peer.sendall(frame(message("7", b"behind")))
        self.until(lambda: len(self.lines()) == len(MESSAGES.splitlines()) + 1)
        self.stop(running)
        self.assertEqual(self.lines()[:-1], MESSAGES.splitlines())

    def test_what_ours_writes_is_what_the_peer_writes(self):
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(self.path))
        listener.listen()
        listener.settimeout(bridge.PATIENCE)
        running = self.run_routes("w.yaml", self.writer(MESSAGES, more="  exit_on_empty: true\n", mode="mode: consume").replace("format: raw", "format: normal"),
                                  "state")
        peer, _ = listener.accept()
        self.addCleanup(peer.close)
        peer.settimeout(bridge.PATIENCE)
        written = b""
        while part := peer.recv(1 << 16):
            written += part
        self.assertEqual(running.end(), 0, running.text)
        self.assertEqual(written, FRAMES)


if __name__ == "__main__":
    bridge.main()
