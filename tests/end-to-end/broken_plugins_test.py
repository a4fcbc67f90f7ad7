"""A plugin that cannot be loaded is named, fails the routes that need it, and leaves the others alone."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import bridge

COPY = "{exit_on_empty: true, input: {file: {path: in.jsonl, format: raw}}, output: {file: {path: %s, format: raw}}}"


class BrokenPlugins(bridge.Case):
    def setUp(self):
        super().setUp()
        self.write("in.jsonl", "".join(f'{{"n":{i}}}\n' for i in range(1000)))
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir(mode=0o755)

    def run_beside(self, endpoint):
        self.write("routes.yaml", f"good: {COPY % 'out.jsonl'}\n"
                   f"bad: {{exit_on_empty: true, input: {{{endpoint}: {{}}}}, output: null}}\n")
        running = self.start("run", "routes.yaml", "--plugin-dir", self.plugins)
        code = running.end()
        ledgers = running.ledgers()
        self.assert_delivered(ledgers["good"], 1000)
        self.assertEqual((self.folder / "out.jsonl").read_bytes(), (self.folder / "in.jsonl").read_bytes())
        self.assertEqual(ledgers["bad"]["state"], "failed", running.text)
        self.assertIn(f"libmqb_{endpoint}.so", ledgers["bad"]["cause"])
        self.assertIn(f"libmqb_{endpoint}.so", running.text)
        self.assertEqual(code, 1)
        return ledgers["bad"]["cause"]

    def test_a_cut_file(self):
        whole = (bridge.PLUGINS / "libmqb_file.so").read_bytes()
        (self.plugins / "libmqb_cut.so").write_bytes(whole[:5000])
        self.run_beside("cut")

    def test_an_empty_file(self):
        (self.plugins / "libmqb_empty.so").write_bytes(b"")
        self.run_beside("empty")

    def test_a_library_without_the_symbol(self):
        library = bridge.ZOO / "libmqb_bad_no_symbol.so"
        if not library.exists():
            self.skipTest("the zoo is not built")
        shutil.copy(library, self.plugins / "libmqb_zoo.so")
        self.assertIn("mqb_plugin_v1", self.run_beside("zoo"))

    def test_a_broken_file_that_no_route_needs_harms_nobody(self):
        (self.plugins / "libmqb_cut.so").write_bytes(b"\x7fELF")
        self.write("routes.yaml", f"good: {COPY % 'out.jsonl'}\n")
        running = self.start("run", "routes.yaml", "--plugin-dir", self.plugins)
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["good"], 1000)

    def test_plugins_that_no_route_needs_are_not_opened(self):
        marker = self.folder / "opened"
        source = self.folder / "telling.c"
        source.write_text("#include <fcntl.h>\n#include <stdlib.h>\n"
                          f'__attribute__((constructor)) static void tell(void) {{ open("{marker}", O_CREAT, 0600); abort(); }}\n')
        telling = self.folder / "telling.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", telling, source], check=True)
        for i in range(10):
            shutil.copy(telling, self.plugins / f"libmqb_unused{i}.so")
        self.write("routes.yaml", f"good: {COPY % 'out.jsonl'}\n")
        running = self.start("run", "routes.yaml", "--plugin-dir", self.plugins)
        self.assertEqual(running.end(), 0, running.text)
        self.assert_delivered(running.ledgers()["good"], 1000)
        self.assertFalse(marker.exists(), "a plugin that no route needs was opened")
        self.bridge("plugins", "--verify", "--plugin-dir", self.plugins)
        self.assertTrue(marker.exists(), "the marker does not tell")

    def ending_plugin(self, in_promises, in_destructor):
        source = self.folder / "ending.c"
        source.write_text("#include <mqb/plugin.h>\n#include <stdlib.h>\n#define TEXT(t) { t, sizeof(t) - 1 }\n"
                          "static mqb_status create(mqb_create *c) { (void)c; return MQB_BAD_CONFIG; }\n"
                          f"static mqb_status promises(mqb_promise *p) {{ (void)p; {in_promises} return MQB_OK; }}\n"
                          f"__attribute__((destructor)) static void end(void) {{ {in_destructor} }}\n"
                          "static const mqb_factory one = { .struct_size = sizeof one, .kind = MQB_ENDPOINT, .sides = MQB_SIDE_CONSUMER,\n"
                          "    .name = TEXT(\"ending\"), .schema = TEXT(\"{}\"), .create = create, .promises = promises };\n"
                          "static const mqb_factory *const all[] = { &one };\n"
                          "static const mqb_plugin plugin = { .struct_size = sizeof plugin, .draft = MQB_ABI_DRAFT, .name = TEXT(\"ending\"),\n"
                          "    .version = TEXT(\"1\"), .licence = TEXT(\"MIT\"), .factories = all, .factory_count = 1 };\n"
                          "const mqb_plugin *mqb_plugin_v1(void) { return &plugin; }\n")
        include = pathlib.Path(__file__).parents[2] / "plugin-api" / "include"
        subprocess.run(["cc", "-shared", "-fPIC", "-I", include, "-o", self.plugins / "libmqb_ending.so", source], check=True)
        self.write("routes.yaml", "bad: {exit_on_empty: true, input: {ending: {}}, output: null}\n")

    def test_a_plugin_that_calls_exit_is_named_and_is_no_success(self):
        self.ending_plugin("exit(0);", "")
        ran = self.bridge("run", "routes.yaml", "--plugin-dir", self.plugins)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("mqbridge: ending.promises called exit()", ran.stderr)

    @unittest.skipIf(os.environ.get("MQB_SANITIZED"), "the destructors run there, for the sake of the leak check")
    def test_a_destructor_of_a_plugin_does_not_change_the_exit_code(self):
        self.ending_plugin("", "_Exit(0);")
        ran = self.bridge("run", "routes.yaml", "--plugin-dir", self.plugins)
        self.assertEqual(ran.returncode, 1, ran.stderr)

    def test_check_names_it_and_plugins_lists_it(self):
        (self.plugins / "libmqb_cut.so").write_bytes(b"\x7fELF")
        self.write("routes.yaml", "bad: {input: {cut: {}}}\n")
        checked = self.bridge("check", "routes.yaml", "--plugin-dir", self.plugins)
        self.assertEqual(checked.returncode, 2)
        self.assertIn("libmqb_cut.so", checked.stderr)
        listed = self.bridge("plugins", "--json", "--verify", "--plugin-dir", self.plugins)
        self.assertEqual(listed.returncode, 1)
        found = {os.path.basename(e["file"]): e for e in json.loads(listed.stdout)}
        self.assertEqual(found["libmqb_cut.so"]["state"], "unusable")
        self.assertTrue(found["libmqb_cut.so"]["why"])
        self.assertEqual(found["libmqb_file.so"]["state"], "ok")
        self.assertIn({"kind": "endpoint", "name": "file", "sides": ["consumer", "publisher"]}, found["libmqb_file.so"]["offers"])


if __name__ == "__main__":
    bridge.main()
