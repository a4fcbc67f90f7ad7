"""A spool between routes: the golden files run, names and order, who may have it, what ends it, what is refused, and what a full or broken disk does."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import bridge

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"


class Case(bridge.Case):
    def setUp(self):
        super().setUp()
        self.spool = self.folder / "spool"

    def files(self):
        return sorted(str(p.relative_to(self.spool)) for p in self.spool.rglob("*") if p.is_file())

    def payloads(self):
        return [f for f in self.files() if f.endswith(".bin")]

    def chunk(self, name, payload, sidecar=None):
        self.spool.mkdir(exist_ok=True)
        if sidecar is not None:
            (self.spool / f"{name}.json").write_text(sidecar)
        (self.spool / "x").write_bytes(payload)
        (self.spool / "x").rename(self.spool / f"{name}.bin")

    def lines(self, name="out.txt"):
        try:
            return (self.folder / name).read_text().splitlines()
        except FileNotFoundError:
            return []

    def run_routes(self, text, code=0, name="routes.yaml"):
        self.write(name, text)
        running = self.start("run", name)
        self.assertEqual(running.end(), code, running.text)
        return running

    def fill(self, count=3, more="", name="in.txt", route=""):
        self.write(name, "".join(f"{i}\n" for i in range(count)))
        return self.run_routes(f"fill: {{exit_on_empty: true, {route} input: {{file: {{path: {name}, format: raw}}}}, "
                               f"output: {{dir_spool: {{path: spool, fsync: 'off'{more}}}}}}}", name="fill.yaml")

    def empty(self, more="", code=0, fmt="raw", route=""):
        return self.run_routes(f"empty: {{exit_on_empty: true, {route} input: {{dir_spool: {{path: spool{more}}}}}, "
                               f"output: {{file: {{path: out.txt, format: {fmt}}}}}}}", code, name="empty.yaml")


class Golden(Case):
    def test_every_field(self):
        shutil.copy(GOLDEN / "12-dir-spool.yaml", self.folder)
        self.write("in.jsonl", "one\ntwo\nthree\n")
        running = self.start("run", "12-dir-spool.yaml")
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["fill"], 3)
        self.assert_delivered(running.ledgers()["empty"], 3)
        read = [json.loads(line) for line in self.lines("out12.jsonl")]
        self.assertEqual([r["payload"] for r in read], ["one", "two", "three"])
        self.assertEqual([r["metadata"] for r in read], [{"mq_bridge.original_format": "raw"}] * 3)
        # The marker stays; everything else is gone, the shard and the claims too.
        self.assertEqual([p.name for p in (self.folder / "spool12").iterdir()], ["FINISHED"])

    def test_names_sidecars_and_sequence(self):
        self.fill(2, ", emit_done: success")
        self.assertEqual(self.files(), ["000000000.bin", "000000000.json", "000000001.bin", "000000001.json", "DONE"])
        self.assertEqual((self.spool / "000000000.bin").read_bytes(), b"0")
        self.assertRegex((self.spool / "000000000.json").read_text(),
                         r'^\{"message_id":"%s","metadata":\{"mq_bridge.original_format":"raw"\}\}$' % UUID)
        self.fill(1)
        self.assertEqual(self.files(), ["000000000.bin", "000000000.json", "000000001.bin", "000000001.json", "000000002.bin", "000000002.json"])
        self.empty()
        self.assertEqual(self.lines(), ["0", "1", "0"])
        self.assertEqual(self.files(), [])

    def test_ids_and_metadata_cross_as_they_are(self):
        sent = [{"message_id": f"0199f3ab-0000-7000-8000-00000000000{i}", "payload": "äöü\u0000\n", "metadata": {"k": "v\"\\", "empty": "", "ä": "ß"}} for i in range(3)]
        self.write("in.jsonl", "".join(json.dumps(line) + "\n" for line in sent))
        self.run_routes("fill: {exit_on_empty: true, input: {file: {path: in.jsonl}}, output: {spool: {path: spool}}}")
        self.run_routes("empty: {exit_on_empty: true, input: {dirspool: {path: spool}}, output: {file: {path: out.jsonl}}}")
        self.assertEqual([json.loads(line) for line in self.lines("out.jsonl")], sent)

    def test_a_done_file_that_a_reader_would_take_for_a_chunk_is_refused(self):
        self.write("routes.yaml", "r: {input: {dir_spool: {path: spool, done_file: x.bin}}, output: null}")
        done = self.bridge("check", "routes.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertIn('done_file: "x.bin" ends with .bin, the payload_extension', done.stderr)
        self.assertFalse(self.spool.exists())

    def test_uris(self):
        self.write("in.txt", "a\nb\n")
        for scheme in ("spool", "dir-spool", "dirspool"):
            with self.subTest(scheme):
                self.assertEqual(self.bridge("copy", "--drain", "file:in.txt?format=raw", f"{scheme}:spool?fsync=off&naming_pattern={{seq:03}}").returncode, 0)
                self.assertEqual(self.payloads(), ["000.bin", "001.bin"])
                self.assertEqual(self.bridge("copy", "--drain", f"{scheme}:spool", "file:out.txt?format=raw").returncode, 0)
        self.assertEqual(self.lines(), ["a", "b"] * 3)


class Ends(Case):
    def test_success_is_written_at_the_end_of_the_input_and_not_at_a_stop(self):
        follow = "fill: {input: {file: {path: in.txt, format: raw}}, output: {dir_spool: {path: spool, fsync: 'off', emit_done: %s}}}"
        self.write("in.txt", "a\n")
        for mode, expected in (("success", False), ("end", True), ("never", False)):
            with self.subTest(mode):
                shutil.rmtree(self.spool, ignore_errors=True)
                self.write("routes.yaml", follow % mode)
                running = self.start("run", "routes.yaml")
                self.until(lambda: self.spool.exists() and self.payloads() == ["000000000.bin"])
                running.process.send_signal(signal.SIGTERM)
                self.assertEqual(running.end(), 0, running.text)
                self.assertEqual((self.spool / "DONE").exists(), expected)
        self.fill(1, ", emit_done: success")
        self.assertTrue((self.spool / "DONE").exists())

    def test_a_connection_that_is_tried_out_leaves_the_marker_and_makes_none(self):
        self.write("in.txt", "a\n")
        for mode in ("never", "success", "end"):
            with self.subTest(mode):
                shutil.rmtree(self.spool, ignore_errors=True)
                self.write("routes.yaml", "fill: {input: {file: {path: in.txt, format: raw}}, output: {dir_spool: {path: spool, emit_done: %s}}}" % mode)
                for before in ([], ["DONE"]):
                    for name in before:
                        (self.spool / name).write_text("theirs")
                    done = self.bridge("check", "--connect", "routes.yaml")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.files(), before)
                self.assertEqual((self.spool / "DONE").read_text(), "theirs")

    def test_a_reader_of_a_running_producer_ends_with_it(self):
        self.write("in.txt", "".join(f"{i}\n" for i in range(5000)))
        self.write("empty.yaml", "empty: {input: {dir_spool: {path: spool, stop_on_done: true, poll_interval_ms: 1}}, output: {file: {path: out.txt, format: raw}}}")
        reader = self.start("run", "empty.yaml", "--state-dir", "other")
        self.until(lambda: (self.spool / "CONSUMER").exists())
        self.run_routes("fill: {exit_on_empty: true, input: {file: {path: in.txt, format: raw}}, "
                        "output: {dir_spool: {path: spool, fsync: 'off', emit_done: success, shard_depth: 0}}}")
        self.assertEqual(reader.end(), 0, reader.text)
        self.assertEqual(self.lines(), [str(i) for i in range(5000)])
        self.assertEqual(self.files(), ["DONE"])

    def test_shards_are_gone_when_they_are_empty_while_a_producer_writes_into_them(self):
        self.write("in.txt", "".join(f"{i}\n" for i in range(20000)))
        shards = "shard_depth: 2, shard_width: 2, fsync: 'off'"
        running = self.run_routes(f"""
fill:
  exit_on_empty: true
  batch_size: 7
  input: {{file: {{path: in.txt, format: raw}}}}
  output: {{dir_spool: {{path: spool, {shards}, emit_done: success}}}}
empty:
  input: {{dir_spool: {{path: spool, {shards}, stop_on_done: true, poll_interval_ms: 1}}}}
  output: {{file: {{path: out.txt, format: raw}}}}
""")
        self.assert_delivered(running.ledgers()["fill"], 20000)
        self.assert_delivered(running.ledgers()["empty"], 20000)
        self.assertEqual(self.lines(), [str(i) for i in range(20000)])
        self.assertEqual([p.name for p in self.spool.iterdir()], ["DONE"])


class Claims(Case):
    WAIT = "r: {input: {%s: {path: %s}}, output: {%s: {path: %s}}}"

    def started(self, text, claim, state):
        self.write(state + ".yaml", text)
        running = self.start("run", state + ".yaml", "--state-dir", state)
        self.until(lambda: (self.spool / claim).exists())
        return running

    def test_a_second_one_of_a_role_is_refused_by_name_and_a_kill_makes_room(self):
        self.write("in.txt", "")
        fill = "fill: {input: {file: {path: in.txt, format: raw}}, output: {dir_spool: {path: spool}}}"
        empty = "empty: {input: {dir_spool: {path: spool}}, output: {file: {path: out.txt, format: raw}}}"
        for text, claim, role in ((fill, "PRODUCER", "producer"), (empty, "CONSUMER", "consumer")):
            with self.subTest(role):
                first = self.started(text, claim, "one")
                pid = first.process.pid
                self.assertEqual((self.spool / claim).read_text(), f"{pid}\n")
                self.write("two.yaml", text)
                second = self.start("run", "two.yaml", "--state-dir", "two")
                self.assertEqual(second.end(), 1)
                self.assertIn(f"spool 'spool' has a {role} already: process {pid} holds spool/{claim}", second.text)
                first.process.kill()
                first.end()
                self.assertTrue((self.spool / claim).exists())
                third = self.start("run", "two.yaml", "--state-dir", "two")
                self.until(lambda: (self.spool / claim).read_text() == f"{third.process.pid}\n")
                third.process.terminate()
                self.assertEqual(third.end(), 0, third.text)
                self.assertFalse((self.spool / claim).exists())

    def test_a_claim_may_be_warned_of_or_left_out(self):
        self.write("in.txt", "a\n")
        fill = "fill: {%s input: {file: {path: in.txt, format: raw}}, output: {dir_spool: {path: spool, claim: %s}}}"
        first = self.started(fill % ("", "exclusive"), "PRODUCER", "one")
        self.until(lambda: len(self.payloads()) == 1)
        warned = self.run_routes(fill % ("exit_on_empty: true,", "warn"))
        self.assertIn("has a producer already: process", warned.text)
        off = self.run_routes(fill % ("exit_on_empty: true,", "'off'"))
        self.assertNotIn("has a producer already", off.text)
        self.assertEqual(len(self.payloads()), 3)
        self.assertEqual((self.spool / "PRODUCER").read_text(), f"{first.process.pid}\n")
        first.process.terminate()
        first.end()


class Refused(Case):
    def test_what_is_no_chunk_is_dead_and_named_and_the_rest_goes_on(self):
        for i in range(4):
            self.chunk(i, b"%d" % i)
        (self.spool / "1.json").write_text("{broken")
        (self.spool / "2.bin").write_bytes(b"x" * 101)
        running = self.empty(", max_record_bytes: 100")
        ledger = running.ledgers()["empty"]
        self.assert_exact(ledger)
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["dead_lettered"]), (4, 2, 2))
        self.assertEqual(self.lines(), ["0", "3"])
        self.assertEqual(self.files(), ["2.bin.refused"])
        shown = self.bridge("dlq", "list", "--json").stdout
        self.assertIn("the sidecar of chunk 1.bin is broken: it is not JSON", shown)
        self.assertIn("chunk 2.bin has 101 bytes, more than max_record_bytes (100)", shown)

    def test_null_and_empty_payloads_are_told_apart_by_the_mark(self):
        self.chunk("1", b"")
        self.chunk("2", b"", '{"message_id":"2","metadata":{"mqb.kafka.tombstone":"true"}}')
        self.empty(fmt="normal")
        read = [json.loads(line) for line in self.lines()]
        self.assertEqual([r["payload"] for r in read], ["", ""])
        self.assertEqual([r.get("metadata") for r in read], [None, {"mqb.kafka.tombstone": "true"}])

    def start_as_nobody(self, routes):
        """From a copy in the scratch folder: the folders above the build may be closed to others."""
        plugins = self.folder / "plugins"
        plugins.mkdir(exist_ok=True)
        for name in ("dir_spool", "file"):
            shutil.copy(bridge.PLUGINS / f"libmqb_{name}.so", plugins)
        binary = shutil.copy(bridge.BINARY, self.folder / f"mqbridge-{routes}")
        running = bridge.Running(self.folder, ["run", routes, "--state-dir", "state"], binary=binary, plugins=plugins, user=65534, group=65534)
        self.addCleanup(running.close)
        return running

    @unittest.skipIf(os.geteuid() != 0, "needs another user to be")
    def test_what_nobody_may_read_is_named_and_blocks_until_it_can_be_read(self):
        for i in range(3):
            self.chunk(i, b"%d" % i)
        (self.spool / "1.bin").chmod(0)
        os.chown(self.spool / "1.bin", 0, 0)
        for path in (self.folder, self.spool):
            os.chown(path, 65534, 65534)
        self.write("routes.yaml", "empty: {input: {dir_spool: {path: spool}}, output: {file: {path: out.txt, format: raw}}}")
        running = self.start_as_nobody("routes.yaml")
        self.assertTrue(running.wait_for("cannot read 1.bin of spool 'spool': Permission denied"))
        self.until(lambda: self.lines() == ["0"])
        (self.spool / "1.bin").chmod(0o666)
        self.until(lambda: self.lines() == ["0", "1", "2"])
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)
        self.assertEqual(self.files(), [])
        # A drain does not wait for that.
        self.chunk("5", b"5")
        (self.spool / "5.bin").chmod(0)
        self.write("drain.yaml", "empty: {exit_on_empty: true, input: {dir_spool: {path: spool}}, output: {file: {path: out.txt, format: raw}}}")
        drain = self.start_as_nobody("drain.yaml")
        self.assertEqual(drain.end(), 1)
        self.assertIn("cannot read 5.bin of spool 'spool': Permission denied", drain.text)


class Disk(Case):
    def test_a_spool_that_is_removed_is_made_anew_and_nothing_is_lost(self):
        self.write("in.txt", "".join(f"{i}\n" for i in range(3)))
        self.write("routes.yaml", "fill: {reconnect_interval_ms: 20, input: {file: {path: in.txt, format: raw, mode: group_subscribe, group_id: g}}, "
                                  "output: {dir_spool: {path: spool}}}")
        running = self.start("run", "routes.yaml")
        self.until(lambda: self.spool.exists() and len(self.payloads()) == 3)
        self.spool.rename(self.folder / "old")
        with open(self.folder / "in.txt", "a") as file:
            file.write("3\n4\n")
        self.until(lambda: self.spool.exists() and len(self.payloads()) == 2)
        self.assertIn("spool 'spool' was removed", running.text if running.wait_for("was removed") else "")
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)
        self.assertEqual([(self.spool / name).read_text() for name in self.payloads()], ["3", "4"])

    def test_a_reader_of_a_spool_that_is_removed_goes_on_with_the_next_one(self):
        self.chunk("1", b"one")
        self.write("routes.yaml", "empty: {reconnect_interval_ms: 20, input: {dir_spool: {path: spool, poll_interval_ms: 5}}, output: {file: {path: out.txt, format: raw}}}")
        running = self.start("run", "routes.yaml")
        self.until(lambda: self.lines() == ["one"])
        self.spool.rename(self.folder / "old")
        self.until(self.spool.exists)
        self.chunk("1", b"two")
        self.until(lambda: self.lines() == ["one", "two"])
        running.process.terminate()
        self.assertEqual(running.end(), 0, running.text)

    @unittest.skipIf(os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0, "needs mounts")
    def test_a_full_disk_is_waited_for_and_nothing_half_written_stays(self):
        """In a mount namespace of its own: producer and consumer over a spool of 400 KiB, with 4 MB to hand over."""
        self.spool.mkdir()
        lines = [f"{i:05d} " + "x" * 3000 for i in range(1500)]
        self.write("in.txt", "\n".join(lines) + "\n")
        self.write("fill.yaml", "fill: {exit_on_empty: true, batch_size: 64, input: {file: {path: in.txt, format: raw, mode: group_subscribe, group_id: g}}, "
                                "output: {dir_spool: {path: spool, emit_done: success}}}")
        self.write("empty.yaml", "empty: {batch_size: 16, input: {dir_spool: {path: spool, stop_on_done: true, poll_interval_ms: 5}}, "
                                 "output: {file: {path: out.txt, format: raw}}}")
        script = f"""
set -e
mount -t tmpfs -o size=400k tmpfs spool
'{bridge.BINARY}' run fill.yaml --state-dir one 2>fill.log & fill=$!
until grep -q 'No space left on device' fill.log; do kill -0 $fill; sleep 0.05; done
find spool -type f | sort >at-full.txt
sleep 1
ls spool | grep -c '[.]tmp$' >unfinished.txt || true
'{bridge.BINARY}' run empty.yaml --state-dir two 2>empty.log
wait $fill
ls spool >left.txt
"""
        done = subprocess.run(["unshare", "--mount", "bash", "-c", script], cwd=self.folder, env=bridge.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=bridge.PATIENCE)
        logs = (self.folder / "fill.log").read_text() + done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, logs)
        self.assertIn("cannot write to spool 'spool': No space left on device", logs)
        self.assertEqual((self.folder / "left.txt").read_text(), "DONE\n")
        self.assertEqual((self.folder / "unfinished.txt").read_text(), "0\n")
        self.assertEqual(self.lines(), lines)


if __name__ == "__main__":
    bridge.main()
