"""mqbridge check: many files, JSON, guarantees, connecting, colours, and time that grows with the files and no faster."""
import json
import resource

import bridge


def many(count):
    return "".join(f"r{i}: {{input: {{file: {{path: in{i}.txt}}}}, output: {{middlewares: [{{retry: {{max_attempts: 3}}}}, "
                   f"{{dlq: {{endpoint: {{file: {{path: dead{i}.txt}}}}}}}}], memory: {{topic: t{i}}}}}}}\n" for i in range(count))


class Check(bridge.Case):
    def json(self, *words, code=0):
        done = self.bridge("check", "--json", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_files_and_folders_together(self):
        (self.folder / "routes").mkdir()
        self.write("routes/b.yaml", "b: {input: {file: {path: b}}}\n")
        self.write("routes/a.yaml", "a: {input: {file: {path: a}}}\n")
        self.write("c.yaml", "c: {enabled: false, input: {file: {path: c}}}\n")
        told = self.json("c.yaml", "routes")
        self.assertEqual([(r["name"], r["enabled"]) for r in told["routes"]], [("c", False), ("a", True), ("b", True)])
        self.assertTrue(told["ok"])

    def test_a_plugin_that_is_named_twice_is_one(self):
        library = str(bridge.PLUGINS / "libmqb_file.so")
        self.write("a.yaml", f"plugins: [{library}]\nroutes: {{a: {{input: {{file: {{path: a}}}}}}}}\n")
        self.write("b.yaml", f"plugins: [{library}]\nroutes: {{b: {{input: {{file: {{path: b}}}}}}}}\n")
        told = self.json("--plugin", library, "--plugin", library, "a.yaml", "b.yaml")
        self.assertEqual((told["ok"], told["warnings"], [r["broken"] for r in told["routes"]]), (True, [], [None, None]))
        self.assertEqual(self.bridge("check", "--plugin", library, "--plugin", library, "--json").stderr.splitlines()[0], "files is required")

    def test_json_has_each_finding_with_its_place(self):
        self.write("f.yaml", "r:\n  concurency: 2\n  input: {file: {path: x}}\nui_addr: ''\n")
        told = self.json("f.yaml", code=2)
        self.assertFalse(told["ok"])
        self.assertEqual([(f["severity"], f["file"], f["line"], f["column"], f["path"]) for f in told["findings"]],
                         [("error", "f.yaml", 2, 3, "r.concurency"), ("warning", "f.yaml", 4, 1, "ui_addr")])
        told = self.json("nowhere.yaml", code=2)
        self.assertEqual((told["findings"][0]["file"], told["findings"][0]["line"]), ("nowhere.yaml", None))

    def test_json_has_the_guarantee_and_the_link_that_weakens_it(self):
        self.write("f.yaml", "r: {input: {file: {path: x}}, output: {file: {path: y}}}\n")
        route = self.json("f.yaml")["routes"][0]
        self.assertEqual((route["input"], route["output"], route["delivery"], route["ordered"]), ("file", "file", "at least once", True))
        self.assertIn("input.file ", route["weakened_by"])
        self.assertIsNone(route["disordered_by"])

    def test_connect_tries_each_end_for_itself(self):
        self.write("in.txt", "a\n")
        self.write("f.yaml", "good: {input: {file: {path: in.txt}}, output: {memory: {topic: x}}}\n"
                             "bad: {input: {file: {path: nowhere.txt}}, output: {file: {path: nowhere/out.txt}}}\n"
                             "off: {enabled: false, input: {file: {path: nowhere.txt}}}\n")
        done = self.bridge("check", "--connect", "f.yaml")
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stdout.splitlines()[-4:]
        self.assertEqual(lines[:2], ["good: input.file: connects", "good: output.memory: connects"])
        self.assertTrue(lines[2].startswith("bad: input.file: does not connect: cannot open file source 'nowhere.txt'"), lines)
        self.assertTrue(lines[3].startswith("bad: output.file: does not connect: cannot open file target 'nowhere/out.txt'"), lines)
        told = self.json("--connect", "f.yaml", code=1)
        self.assertFalse(told["ok"])
        self.assertEqual([(c["route"], c["endpoint"], c["connects"]) for c in told["connects"]],
                         [("good", "input", True), ("good", "output", True), ("bad", "input", False), ("bad", "output", False)])

    def test_connect_reads_nothing_and_writes_nothing(self):
        self.write("in.txt", "a\nb\n")
        self.write("out.txt", "before\n")
        self.write("f.yaml", "r: {input: {file: {path: in.txt}}, output: {file: {path: out.txt}}}\n")
        done = self.bridge("check", "--connect", "f.yaml")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-2:]), (0, ["r: input.file: connects", "r: output.file: connects"]))
        self.assertEqual((self.folder / "out.txt").read_text(), "before\n")
        self.assertEqual((self.folder / "in.txt").read_text(), "a\nb\n")

    def test_a_wrong_file_is_not_connected(self):
        self.write("f.yaml", "r: {input: {file: {pth: x}}, output: {file: {path: out.txt}}}\n")
        self.assertEqual(self.json("--connect", "f.yaml", code=2)["connects"], [])
        self.assertFalse((self.folder / "out.txt").exists())

    def cpu_of(self, count):
        self.write("many.yaml", many(count))
        best = None
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = self.bridge("check", "many.yaml")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, count + 1), done.stderr)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best = used if best is None else min(best, used)
        return best

    def test_time_grows_with_the_files_and_no_faster(self):
        start, small, large = self.cpu_of(1), self.cpu_of(200), self.cpu_of(1600)
        self.assertLess(large - start, 24 * max(small - start, 0.01), (start, small, large))  # 8 if it were exact, 64 if it were squared

    def colours(self, **extra):
        return self.on_terminal("check", "f.yaml", **extra)

    def test_colour_is_for_terminals_that_want_it(self):
        self.write("f.yaml", "r: {input: {file: {path: x}}}\n")
        self.assertIn("\x1b[32mok\x1b[0m", self.colours())
        self.assertNotIn("\x1b", self.colours(NO_COLOR="1"))
        self.assertNotIn("\x1b", self.colours(TERM="dumb"))
        self.assertNotIn("\x1b", self.bridge("check", "f.yaml").stdout)
        self.write("f.yaml", "r: {input: {file: {pth: x}}}\n")
        self.assertIn("\x1b[31mf.yaml:1:", self.colours())


if __name__ == "__main__":
    bridge.main()
