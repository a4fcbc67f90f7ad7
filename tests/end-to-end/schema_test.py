"""mqbridge schema: what an editor says of a route file is what check says, as far as the form decides."""
import json
import os
import pathlib
import unittest

import bridge

try:
    import jsonschema
    import yaml
except ImportError:
    if os.environ.get("CI"):
        raise
    raise unittest.SkipTest("needs the Debian packages python3-jsonschema and python3-yaml")

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])
GOOD = ["01-bare-map.yaml", "02-routes-key.yaml", "03-single-route.yaml", "04-json-form.json", "06-all-route-fields.yaml", "07-null-forms.yaml"]
# Mistakes of form; the others are of meaning: two routes that write one file, a name that is not there.
BAD = ["01-route-unknown-field.yaml", "02-no-input.yaml", "03-endpoint-unknown-field.yaml", "04-wrong-type.yaml", "05-two-types.yaml",
       "07-uri-as-endpoint.yaml", "17-batch-size-zero.yaml", "24-unknown-endpoint.yaml", "26-memory-no-topic.yaml"]


class Schema(bridge.Case):
    def setUp(self):
        super().setUp()
        done = self.bridge("schema")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.text = done.stdout
        self.schema = json.loads(self.text)
        jsonschema.Draft202012Validator.check_schema(self.schema)
        self.validator = jsonschema.Draft202012Validator(self.schema)

    def mistakes(self, value):
        return [error.message for error in self.validator.iter_errors(value)]

    def test_good_files_have_no_mistake(self):
        for name in GOOD:
            with self.subTest(name):
                self.assertEqual(self.mistakes(yaml.safe_load((GOLDEN / name).read_text())), [])

    def test_bad_files_have_one(self):
        for name in BAD:
            with self.subTest(name):
                self.assertNotEqual(self.mistakes(yaml.safe_load((GOLDEN / "bad" / name).read_text())), [])

    def test_what_check_says_of_a_key_the_schema_says_too(self):
        good = {"r": {"input": {"file": {"path": "x"}}, "output": {"memory": {"topic": "t"}, "middlewares": [{"retry": {"max_attempts": 2}}]}}}
        self.assertEqual(self.mistakes(good), [])
        for path, value in ((["r", "concurency"], 1), (["r", "input", "file", "pth"], "x"), (["r", "output", "memory", "capacity"], "many"),
                            (["r", "output", "middlewares", 0, "retry", "tries"], 2), (["r", "output", "middlewares", 0], {"rety": {}})):
            with self.subTest(path):
                bad = json.loads(json.dumps(good))
                at = bad
                for step in path[:-1]:
                    at = at[step]
                at[path[-1]] = value
                self.assertNotEqual(self.mistakes(bad), [])
                self.write("bad.json", json.dumps(bad))
                self.assertEqual(self.bridge("check", "bad.json").returncode, 2)

    def test_every_plugin_and_every_built_in_is_there(self):
        defs = self.schema["$defs"]
        offered = [o["name"] for p in json.loads(self.bridge("plugins", "--json").stdout) if p["state"] == "ok" for o in p["offers"]
                   if o["kind"] == "endpoint"]
        self.assertIn("file", offered)
        for name in [*offered, "null", "static"]:
            self.assertTrue(f"input-{name}" in defs or f"output-{name}" in defs, name)
        self.assertIn("output-middleware-retry", defs)

    def test_into_a_file(self):
        self.assertEqual(self.bridge("schema", "--output", "s.json").returncode, 0)
        self.assertEqual((self.folder / "s.json").read_text(), self.text)
        failed = self.bridge("schema", "--output", "nowhere/s.json")
        self.assertEqual((failed.returncode, failed.stderr), (1, "nowhere/s.json: cannot be written\n"))


if __name__ == "__main__":
    bridge.main()
