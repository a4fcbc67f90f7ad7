"""Help, completion, man pages and docs/command-line.md come from one tree of commands; each of them works."""
import os
import pathlib
import re
import shutil
import subprocess

import bridge

PAGE = pathlib.Path(os.environ["MQB_TEST_DOCS"]) / "command-line.md"
MARK = "<!-- what follows is printed by: mqbridge manual markdown -->\n"


class Manual(bridge.Case):
    def setUp(self):
        super().setUp()
        self.reference = self.bridge("manual", "markdown").stdout

    def commands(self):
        """The words of every command, and the names of its options."""
        parts = re.split(r"^### mqbridge ?", self.reference, flags=re.M)[1:]
        return {part.split("\n", 1)[0]: set(re.findall(r"^\| `(?:-\w, )?(--[a-z-]+)", part, flags=re.M)) for part in parts}

    def script(self, shell):
        done = self.bridge("completion", shell)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_page_is_up_to_date(self):
        text = PAGE.read_text()
        self.assertEqual(text.count(MARK), 1)
        self.assertEqual(text.split(MARK)[1], self.reference, "mqbridge manual markdown has changed; put it into docs/command-line.md")

    def test_examples_of_the_page_run(self):
        self.write("orders.csv", "id;name\n1;a\n2;b\n")
        self.write("orders.yaml", "r: {input: {file: {path: orders.csv, format: csv, csv: {separator: ';'}}}}\n")
        lines = [line for block in re.findall(r"```sh\n(.*?)```", PAGE.read_text().split(MARK)[0], flags=re.S) for line in block.splitlines()]
        self.assertGreater(len(lines), 5)
        env = bridge.environment() | {"PATH": f"{pathlib.Path(bridge.BINARY).parent}:{os.environ['PATH']}", "NAME": "orders"}
        for line in lines:
            with self.subTest(line):
                done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=bridge.PATIENCE)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_command_has_help_with_an_example_and_options_in_kebab_case(self):
        commands = self.commands()
        self.assertLessEqual({"", "run", "check", "copy", "schema", "new plugin", "completion"}, set(commands))
        for words, options in commands.items():
            with self.subTest(words):
                if words != "conformance":
                    done = self.bridge(*words.split(), "--help")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("Example:", done.stdout)
                    for option in options:
                        self.assertIn(option, done.stdout)
                for option in options:
                    self.assertRegex(option, r"^--[a-z]+(-[a-z]+)*$")

    def test_a_near_match_is_named(self):
        for words, expected in ((["chekc"], 'mqbridge: unknown command "chekc" (did you mean "check"?)'),
                                (["new", "plugn"], 'mqbridge new: unknown command "plugn" (did you mean "plugin"?)'),
                                (["check", "f.yaml", "--conect"], 'mqbridge check: unknown option "--conect" (did you mean "--connect"?)'),
                                (["copy", "a", "b", "--limt=3"], 'mqbridge copy: unknown option "--limt" (did you mean "--limit"?)'),
                                (["zzzzzz"], 'mqbridge: unknown command "zzzzzz"\n')):
            with self.subTest(words):
                done = self.bridge(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(expected, done.stderr)

    def test_man_pages_are_there_and_have_no_fault(self):
        self.assertEqual(self.bridge("manual", "files", "--output", "made").returncode, 0)
        pages = {p.name: p for p in (self.folder / "made" / "man").iterdir()}
        self.assertEqual(set(pages), {"-".join(["mqbridge", *words.split()]) + ".1" for words in self.commands()})
        for words, options in self.commands().items():
            text = pages["-".join(["mqbridge", *words.split()]) + ".1"].read_text().replace("\\-", "-")
            for option in options:
                self.assertIn(option, text)
        if not shutil.which("groff"):
            self.skipTest("needs the Debian package groff-base")
        for page in pages.values():
            with self.subTest(page.name):
                done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", str(page)], capture_output=True, text=True, timeout=bridge.PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("EXIT STATUS", re.sub(".\x08", "", done.stdout))  # letters are struck twice where they are bold

    def complete_in_bash(self, line):
        """What bash offers at the end of the line."""
        self.write("c.bash", self.script("bash"))
        words = line.split(" ")
        program = ('source c.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _mqbridge; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", program, "bash", *words], cwd=self.folder, capture_output=True, text=True, timeout=bridge.PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def test_bash(self):
        self.write("routes.yaml", "")
        (self.folder / "folder").mkdir()
        commands = self.commands()
        self.assertEqual(set(self.complete_in_bash("mqbridge ")), {c for c in commands if c and " " not in c})
        self.assertEqual(self.complete_in_bash("mqbridge ch"), ["check"])
        for words, options in commands.items():
            if words:
                self.assertEqual({o for o in self.complete_in_bash(f"mqbridge {words} --")}, options, words)
        self.assertEqual(self.complete_in_bash("mqbridge run --log-level w"), ["warning"])
        self.assertEqual(self.complete_in_bash("mqbridge run r"), ["routes.yaml"])
        self.assertEqual(self.complete_in_bash("mqbridge run --plugin-dir f"), ["folder"])
        self.assertEqual(self.complete_in_bash("mqbridge completion z"), ["zsh"])
        self.assertEqual(self.complete_in_bash("mqbridge new "), ["plugin"])

    def test_fish(self):
        script = self.script("fish")
        for words, options in self.commands().items():
            for option in options:
                self.assertIn(f" -l {option[2:]} ", script)
        if not shutil.which("fish"):
            self.skipTest("needs the Debian package fish")
        self.write("c.fish", script)

        def offered(line):
            done = subprocess.run(["fish", "--no-config", "-c", f"source c.fish; complete -C '{line}'"], cwd=self.folder, capture_output=True, text=True,
                                  timeout=bridge.PATIENCE, env=bridge.environment() | {"HOME": str(self.folder), "TERM": "dumb"})
            self.assertEqual(done.returncode, 0, done.stderr)
            return {row.split("\t")[0] for row in done.stdout.splitlines()}

        commands = self.commands()
        self.assertEqual(offered("mqbridge "), {c for c in commands if c and " " not in c})
        self.assertLessEqual(commands["copy"], offered("mqbridge copy --"))
        self.assertNotIn("--connect", offered("mqbridge copy --"))
        self.assertEqual(offered("mqbridge new "), {"plugin"})
        self.assertEqual(offered("mqbridge run --log-format "), {"human", "json"})

    def test_zsh(self):
        script = self.script("zsh")
        self.assertTrue(script.startswith("#compdef mqbridge\n"))
        for words, options in self.commands().items():
            for option in options:
                self.assertIn(f"{option}[", script)
        if not shutil.which("zsh"):
            self.skipTest("needs the Debian package zsh")
        self.write("_mqbridge", script)
        # The functions of the completion system, as far as a shell without an editor can call them.
        program = """
            compdef() { }
            _arguments() { print -rl -- "$@" }
            _describe() { print -rl -- ${(P)2} }
            source ./_mqbridge && _mqbridge_copy && _mqbridge
        """
        done = subprocess.run(["zsh", "-f", "-c", program], cwd=self.folder, capture_output=True, text=True, timeout=bridge.PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        for option in self.commands()["copy"]:
            self.assertTrue(any(line.lstrip("*").startswith(f"{option}[") for line in lines), option)


if __name__ == "__main__":
    bridge.main()
