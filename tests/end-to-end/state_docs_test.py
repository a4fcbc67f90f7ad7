"""docs/operating.md is acted out as it is written; the table of docs/delivery.md is what the endpoints declare."""
import os
import pathlib
import re
import subprocess
import unittest

import bridge

DOCS = pathlib.Path(os.environ["MQB_TEST_DOCS"])
ROWS = "id,note\n1,short\n2," + "long " * 60 + "\n3,short\n"


class Operating(bridge.Case):
    BLOCK = re.compile(r"(?:<!-- (background|stop) -->\n)?```(yaml|sh)\n(.*?)```\n", re.S)

    def setUp(self):
        super().setUp()
        self.write("orders.csv", ROWS)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/mqbridge").symlink_to(bridge.BINARY)
        self.host = None

    def env(self):
        out = bridge.environment()
        return out | {"PATH": f"{self.folder / 'bin'}:{out['PATH']}", "host": str(self.host.process.pid) if self.host else ""}

    def test_the_page(self):
        text = (DOCS / "operating.md").read_text()
        blocks = self.BLOCK.findall(text)
        self.assertEqual(len(blocks), text.count("```") // 2)
        commands = 0
        for how, kind, body in blocks:
            if kind == "yaml":
                name = body.split(":")[0] + ".yaml"
                self.write(name, body)
                self.assertEqual(self.bridge("check", name).returncode, 0, name)
            elif how == "background":
                self.host = self.start(*body.split()[1:])
                self.until(lambda: "refused" in self.bridge("dlq", "list").stdout)
            else:
                commands += self.act(body)
                if how == "stop":
                    self.assertEqual(self.host.end(), 0, self.host.text)
        self.assertGreater(commands, 15)

    def act(self, body):
        for line in body.splitlines():
            command, _, code = line.partition("# exit code ")
            with self.subTest(command):
                done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.env(), capture_output=True, text=True,
                                      timeout=bridge.PATIENCE)
                self.assertEqual(done.returncode, int(code or 0), done.stderr + done.stdout)
        return len(body.splitlines())


class Environment(unittest.TestCase):
    READ = re.compile(r'(?:getenv|\benvironment)\("(\w+)"\)')

    def test_each_variable(self):
        """The table of docs/operating.md has what the program and its plugins read, and nothing else."""
        read = set()
        for room in ("host", "plugins", "sdk/include"):
            for file in (DOCS.parent / room).rglob("*.?pp"):
                if not file.name.endswith("_test.cpp"):
                    read |= set(self.READ.findall(file.read_text()))
        section = (DOCS / "operating.md").read_text().split("\n## Environment\n")[1].split("\n## ")[0]
        told = {name for row in re.findall(r"^\| (`.*?) \|.*$", section, re.M) for name in re.findall(r"`([A-Z_]+)`", row)}
        told |= set(re.findall(r"`(MQB_[A-Z_]+)`", section))
        self.assertGreater(len(read), 8)
        self.assertEqual(told - {"MQB__PATH__TO__KEY"}, read)


class Delivery(bridge.Case):
    def test_each_promise(self):
        text = (DOCS / "delivery.md").read_text()
        rows = re.findall(r"^\| `(.+?)` \| (input|output) \| (.+?) \|", text, re.M)
        self.assertGreater(len(rows), 5)
        for config, side, promise in rows:
            with self.subTest(f"{side} {config}"):
                ends = (f"{{{config}}}", "null") if side == "input" else ("{memory: {topic: from}}", f"{{{config}}}")
                self.write("routes.yaml", f"r: {{input: {ends[0]}, output: {ends[1]}}}\n")
                done = self.bridge("check", "routes.yaml")
                self.assertEqual(done.returncode, 0, done.stderr)
                said = done.stdout.splitlines()[-1].split(", ", 1)[1]
                self.assertEqual(re.sub(r" \(.*?\)", "", said), promise, said)

    def test_examples(self):
        for example in re.findall(r"```yaml\n(.*?)```", (DOCS / "delivery.md").read_text(), re.S):
            self.write("routes.yaml", example)
            done = self.bridge("check", "routes.yaml")
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    bridge.main()
