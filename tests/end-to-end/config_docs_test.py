"""Every example of the pages on configuration: a yaml block loads without a finding, or with those of the text block behind it. The tables
of middlewares, and of endpoints that are made of others, are those of the schemas."""
import json
import os
import pathlib
import re
import subprocess

import bridge

DOCS = pathlib.Path(os.environ["MQB_TEST_DOCS"])
# An optional line of variables, the file, and optionally what is said of it.
EXAMPLE = re.compile(r"(?:<!-- env: (.*?) -->\n)?```yaml\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)


TYPES = {"string": "text", "integer": "int", "number": "number", "boolean": "bool", "array": "list", "object": "map"}


def table_of(schema):
    """The fields of a middleware as rows of a page."""
    out = ["| Field | Type | Default | Meaning |", "|---|---|---|---|"]
    for name, field in schema.get("properties", {}).items():
        kinds = field.get("type", [])
        kind = "endpoint" if "x-mqb-endpoint" in field else " or ".join(TYPES[k] for k in ([kinds] if isinstance(kinds, str) else kinds))
        standard = "required" if name in schema.get("required", []) else f"`{json.dumps(field['default'])}`" if "default" in field else ""
        choices = ". One of " + ", ".join(f"`{c}`" for c in field["enum"]) if "enum" in field else ""
        out.append(f"| `{name}` | {kind} | {standard} | {field['description']}{choices} |")
    return out


class Docs(bridge.Case):
    def check(self, name, least):
        self.check_text((DOCS / name).read_text(), least)

    def check_text(self, text, least):
        examples = EXAMPLE.findall(text)
        self.assertEqual(len(examples), text.count("```yaml\n"))
        self.assertEqual(sum(1 for _, _, found in examples if found), text.count("```text\n"))
        self.assertGreaterEqual(len(examples), least)
        for variables, routes, found in examples:
            with self.subTest(routes):
                self.write("routes.yaml", routes)
                extra = dict(one.split("=", 1) for one in variables.split())
                done = subprocess.run([bridge.BINARY, "check", "routes.yaml"], cwd=self.folder, env=bridge.environment() | extra,
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=bridge.PATIENCE)
                self.assertEqual(done.stderr, found)
                self.assertEqual(done.returncode, 2 if found else 0)

    def test_examples_of_route_files(self):
        self.check("routes.md", 11)

    def test_examples_of_middlewares(self):
        self.check("middleware.md", 5)

    def test_examples_of_templates(self):
        # The blocks of text there are templates and what they give, which templates_test tries.
        text = re.sub(r"```text\n.*?```", "", (DOCS / "templates.md").read_text(), flags=re.S)
        self.check_text(text, 1)

    def test_examples_of_endpoints_made_of_endpoints(self):
        self.check("structural.md", 4)

    def test_each_endpoint_made_of_endpoints_has_its_table(self):
        text = (DOCS / "structural.md").read_text()
        for name in ("switch", "fanout"):
            with self.subTest(name):
                section = re.search(rf"(?m)^## {name}\n(.*?)(?=^## |\Z)", text, flags=re.S | re.M)[1]
                said = json.loads(self.bridge("describe", name, "--json").stdout)
                rows = [line for line in section.splitlines() if line.startswith("|")]
                self.assertEqual(rows, table_of(said["schema"]) if "properties" in said["schema"] else [])

    def test_each_middleware_that_is_built_in_has_its_table(self):
        text = (DOCS / "middleware.md").read_text()
        no_plugins = bridge.environment() | {"MQB_PLUGIN_PATH": "/nowhere"}
        schema = subprocess.run([bridge.BINARY, "schema"], cwd=self.folder, env=no_plugins, capture_output=True, text=True, timeout=bridge.PATIENCE)
        built_in = set(re.findall(r'"(?:input|output)-middleware-(\w+)":', schema.stdout))
        # The plugins beside the program are found in any case: they have pages of their own.
        plugins = json.loads(self.bridge("plugins", "--json").stdout)
        built_in -= {offer["name"] for plugin in plugins for offer in plugin.get("offers", []) if offer["kind"] == "middleware"}
        sections = dict(re.findall(r"(?m)^## (\w+)\n(.*?)(?=^## |\Z)", text, flags=re.S | re.M))
        self.assertEqual(set(sections), built_in, schema.stderr)
        for name, section in sections.items():
            with self.subTest(name):
                said = json.loads(self.bridge("describe", name, "--json").stdout)
                rows = [line for line in section.splitlines() if line.startswith("|")]
                self.assertEqual(rows, table_of(said["schema"]))


if __name__ == "__main__":
    bridge.main()
