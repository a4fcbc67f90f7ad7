"""Route files as an operator has them: in directories, with variables and overrides, hostile ones, and many routes at once."""
import json
import os
import resource
import subprocess

import bridge

ROUTE = "{exit_on_empty: true, input: {file: {path: in.jsonl, format: raw}}, output: {file: {path: %s, format: raw}}}\n"


class Files(bridge.Case):
    def check(self, *arguments, **variables):
        return subprocess.run([bridge.BINARY, "check", *map(str, arguments)], cwd=self.folder, env=bridge.environment() | variables,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=bridge.PATIENCE)

    def test_a_directory_of_files_is_one_set(self):
        self.write("in.jsonl", "a\nb\nc\n")
        (self.folder / "routes").mkdir()
        self.write("routes/1.yaml", "endpoints: {in: {file: {path: in.jsonl, format: raw}}}\na: {exit_on_empty: true, input: {ref: in}}\n")
        self.write("routes/2.json", json.dumps({"b": {"exit_on_empty": True, "input": {"ref": "in"}}}))
        running = self.start("run", "routes")
        self.assertEqual(running.end(), 0, running.text)
        for name in ("a", "b"):
            self.assert_delivered(running.ledgers()[name], 3)

    def test_a_set_without_routes_is_an_error(self):
        """A file that was lost or cut must not look like a run that is done; an empty one beside others is no harm."""
        self.write("in.jsonl", "a\n")
        for text in ("", "# only a comment\n", "---\n", "{}\n", "routes:\n", "routes: {}\n", "state_dir: state\nendpoints: {x: null}\n"):
            self.write("f.yaml", text)
            for command in ("check", "run"):
                with self.subTest(text, command=command):
                    done = self.bridge(command, "f.yaml")
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertIn("f.yaml: no routes in it: nothing would run\n", done.stderr)
        self.write("empty.yaml", "")
        self.assertIn("empty.yaml: no routes in it, nor in the other files: nothing would run\n", self.check("empty.yaml", "f.yaml").stderr)
        self.write("g.yaml", "r: " + ROUTE % "o")
        done = self.bridge("run", "empty.yaml", "f.yaml", "g.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "o").read_text(), "a\n")
        self.assertEqual(json.loads(self.check("empty.yaml", "--json").stdout)["ok"], False)
        self.write("f.yaml", "state_dir: state\n")
        self.assertEqual(self.bridge("dlq", "list", "f.yaml").returncode, 0)  # for its state_dir

    def test_two_routes_of_one_group_do_not_both_read(self):
        self.write("in.jsonl", "a\nb\n")
        one = "{input: {file: {path: in.jsonl, format: raw, mode: group_subscribe, group_id: %s}}, output: {file: {path: %s, format: raw}}}\n"
        self.write("f.yaml", "x: " + one % ("g", "x.txt") + "y: " + one % ("g", "y.txt") + "z: " + one % ("other", "z.txt"))
        running = self.start("run", "f.yaml")
        self.assertTrue(running.wait_for(rf"'in.jsonl.g.offset' has a reader already, process {running.process.pid}, this one: each group"))
        lines = {name: self.folder / f"{name}.txt" for name in "xyz"}
        held = lambda name: lines[name].read_text() if lines[name].exists() else ""
        self.until(lambda: held("x") + held("y") == "a\nb\n" and held("z") == "a\nb\n")
        running.process.terminate()
        self.assertEqual(running.end(), 1, running.text)
        self.assertEqual(sorted(running.ledgers()[name]["state"] for name in "xyz"), ["failed", "stopped", "stopped"])
        self.assertFalse((self.folder / "in.jsonl.g.offset.lock").exists())

    def test_variables_and_overrides_of_the_environment_run(self):
        self.write("in.jsonl", "a\nb\n")
        self.write("f.yaml", "r: " + ROUTE % "'${OUT}'")
        self.assertIn("f.yaml:1:94: r.output.file.path: the variable OUT is not set", self.check("f.yaml").stderr)
        done = subprocess.run([bridge.BINARY, "run", "f.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=bridge.PATIENCE,
                              env=bridge.environment() | {"OUT": "a#b: {c}.jsonl", "MQB__R__INPUT__FILE__PATH": "more.jsonl"})
        self.assertEqual(done.returncode, 1, done.stderr)  # more.jsonl is not there
        self.write("more.jsonl", "c\n")
        done = subprocess.run([bridge.BINARY, "run", "f.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=bridge.PATIENCE,
                              env=bridge.environment() | {"OUT": "a#b: {c}.jsonl", "MQB__R__INPUT__FILE__PATH": "more.jsonl"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "a#b: {c}.jsonl").read_text(), "c\n")

    def test_an_override_that_addresses_nothing_is_an_error(self):
        self.write("f.yaml", "orders: " + ROUTE % "o")
        done = self.check("f.yaml", MQB__ORDRES__BATCH_SIZE="5")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, 'MQB__ORDRES__BATCH_SIZE: addresses nothing: there is no route and no key "ordres" (did you mean "orders"?)\n')

    def test_a_file_of_variables_in_the_working_directory(self):
        self.write("f.yaml", "r: {batch_size: '${N}', input: {file: {path: '${IN}'}}}\n")
        self.write(".env", "N=0\nIN=x\nMQB__R__SEND_WINDOW=0\n")
        self.assertEqual(self.check("f.yaml", N="7").stderr, "MQB__R__SEND_WINDOW: r.send_window: has to be at least 1\n")
        self.assertEqual(self.check("f.yaml").stderr.splitlines()[0], "f.yaml:1:17: r.batch_size: has to be at least 1")

    def test_a_secret_of_a_file_is_not_shown(self):
        self.write("secret", "S3cr3t%21+x\n")
        self.write("f.yaml", "r: {batch_size: '${file:secret}', description: '${file:secret}', input: {file: {path: x, format: '${file:secret}'}}}\n")
        done = self.check("f.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        self.assertNotIn("S3cr3t", done.stderr + done.stdout)

    def test_hostile_files_are_refused_with_little_time_and_memory(self):
        bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 11))
        refs = "endpoints:\n  e0: {file: {path: x}}\n" + "".join(f"  e{i}: {{ref: e{i + 1}}}\n" for i in range(1, 2000)) + "  e2000: {ref: e1}\n"
        hostile = {
            "bomb.yaml": bomb,
            "brackets.yaml": "[" * (1 << 24),
            "deep.yaml": "{a: " * 10_000,
            "deep.json": '{"a": ' * 10_000,
            "dashes.yaml": "- " * 10_000 + "x\n",
            "quote.yaml": 'a: "' + "x" * (1 << 23),
            "binary.yaml": "\x00\x01\x02",
            "circle.yaml": refs + "r: {input: {ref: e1}}\n",
            "huge.yaml": 1 << 30,
            "cut.json": '{"r": {"input": {"file": {"path": "x',
        }
        for name, text in hostile.items():
            with self.subTest(name):
                if isinstance(text, str):
                    self.write(name, text)
                else:
                    with (self.folder / name).open("wb") as file:
                        file.truncate(text)
                child = subprocess.Popen([bridge.BINARY, "check", name], cwd=self.folder, env=bridge.environment(), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                told = child.stderr.read()
                child.stderr.close()
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(child.returncode, 2, told)
                self.assertEqual(len([line for line in told.splitlines() if "warning" not in line]), 1, told[:1000])
                self.assertTrue(told.startswith(name), told[:1000])
                if "MQB_SANITIZED" not in os.environ:
                    most_memory, most_time = (100, 1) if name == "bomb.yaml" else (200, 10)
                    self.assertLess(used.ru_maxrss, most_memory * 1024)
                    self.assertLess(used.ru_utime + used.ru_stime, most_time)
        self.assertEqual(self.check("huge.yaml").stderr, "huge.yaml: larger than 16 MiB\n")

    def test_two_hundred_routes_are_checked_in_a_moment(self):
        routes = "".join(
            f"route_{i}:\n  batch_size: 100\n  description: \"number {i}\"\n  input: {{file: {{path: in-{i}.jsonl, format: raw}}}}\n"
            f"  output: {{memory: {{topic: t{i}}}}}\n" for i in range(200))
        self.write("many.yaml", routes)
        best = 1e9
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = self.check("many.yaml")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(done.stdout.splitlines()), 201)
        print(f"check of 200 routes: {best * 1000:.0f} ms of CPU time")
        if "MQB_SANITIZED" not in os.environ:
            self.assertLess(best, 0.5)


if __name__ == "__main__":
    bridge.main()
