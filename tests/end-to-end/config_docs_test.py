"""Every example of docs/routes.md: a yaml block loads without a finding, or with those of the text block behind it."""
import os
import pathlib
import re
import subprocess

import bridge

PAGE = pathlib.Path(os.environ["MQB_TEST_DOCS"]) / "routes.md"
# An optional line of variables, the file, and optionally what is said of it.
EXAMPLE = re.compile(r"(?:<!-- env: (.*?) -->\n)?```yaml\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)


class Docs(bridge.Case):
    def test_examples(self):
        text = PAGE.read_text()
        examples = EXAMPLE.findall(text)
        self.assertEqual(len(examples), text.count("```yaml\n"))
        self.assertEqual(sum(1 for _, _, found in examples if found), text.count("```text\n"))
        self.assertGreater(len(examples), 10)
        for variables, routes, found in examples:
            with self.subTest(routes):
                self.write("routes.yaml", routes)
                extra = dict(one.split("=", 1) for one in variables.split())
                done = subprocess.run([bridge.BINARY, "check", "routes.yaml"], cwd=self.folder, env=bridge.environment() | extra,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=bridge.PATIENCE)
                self.assertEqual(done.stderr, found)
                self.assertEqual(done.returncode, 2 if found else 0)


if __name__ == "__main__":
    bridge.main()
