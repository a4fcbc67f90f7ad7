"""Route files of the mq-bridge family: what loads, and where the mistakes of the bad ones are said to be."""
import os
import pathlib
import re
import shutil

import bridge

GOLDEN = pathlib.Path(os.environ["MQB_TEST_GOLDEN"])

# Files that need nothing which does not exist: they load, without a warning unless one is named here.
LOADS = {
    "01-bare-map.yaml": [],
    "02-routes-key.yaml": ["02-routes-key.yaml:5:1: warning: ui_addr: has no meaning here"],
    "03-single-route.yaml": [],
    "04-json-form.json": [],
    "06-all-route-fields.yaml": [],
    "07-null-forms.yaml": [],
    "08-anchors-env.yaml": [],
    "09-file-all-fields.yaml": [],
    "10-file-parts.yaml": [],
    "11-csv-dialects.yaml": [],
    "12-dir-spool.yaml": [],
    "14-memory-forms.yaml": [],
    "15-ipc.yaml": [],
    "16-fanout-switch.yaml": [],
    "18-static-source.yaml": [],
    "20-transform-all.yaml": [],
    "21-filter-forms.yaml": [],
    "22-retry-dlq.yaml": [],
}
REFUSED = {
    "05-entities-form.yaml": [
        "05-entities-form.yaml:2:1: consumers: not read here: write them as routes, each with an input and an output",
        "05-entities-form.yaml:15:1: publishers: not read here: write them as routes, each with an input and an output",
    ],
}
# What may be said of all others, as long as a plugin or one of its fields is missing.
NOT_YET = [
    r': no plugin offers the (endpoint|middleware) "[a-z0-9_-]+"( \(did you mean "\w+"\?\))?; looked in ',
    r"not supported by this version",
    r'^38-cdc-and-reader\.yaml:16:17: warning: named\.input\.ref: there is no "some_registered_endpoint" under "endpoints"$',
    r"^38-cdc-and-reader\.yaml:\d+:\d+: warning: named2?\.",
]
# Each bad file: the whole first line, as far as it does not depend on where plugins are looked for.
BAD = {
    "01-route-unknown-field.yaml": '2:3: r.concurency: unknown key (did you mean "concurrency"?)',
    "02-no-input.yaml": "2:3: routes.r.input: missing",
    "03-endpoint-unknown-field.yaml": '5:7: r.input.file.delet: unknown key (did you mean "delete"?)',
    "04-wrong-type.yaml": '2:15: r.batch_size: "many" where integer is wanted',
    "05-two-types.yaml": '4:5: r.input: two endpoint types, "file" and "memory": beside the type stands only "middlewares"',
    "07-uri-as-endpoint.yaml": '2:10: r.input: an endpoint is a map like "TYPE: {…}", or null',
    "11-filter-syntax.yaml": "6:9: r.input.middlewares[0].filter: the expression ends where a value is missing",
    "13-switch-both-modes.yaml": "8:7: r.output.switch.when: not both: a switch looks up the metadata_key in its cases, or tries the conditions under when",
    "14-fanout-empty.yaml": "4:13: r.output.fanout: names no endpoints: every message would count as delivered and be gone",
    "15-switch-as-input.yaml": '3:12: r.input.switch: "switch" cannot stand at an input: it is for outputs',
    "16-ref-missing.yaml": '3:17: r.input.ref: there is no "nowhere" under "endpoints"',
    "17-batch-size-zero.yaml": "2:15: r.batch_size: has to be at least 1",
    "18-csv-header-false.yaml": "3:12: r.input.file: csv: ",
    "21-transform-two-schemas.yaml": "7:9: r.output.middlewares[0].transform: set either schema or schema_file, not both",
    "22-same-file.yaml": '4:27: r.output.file.path: "in.jsonl" is read by the same route, at r.input.file.path (22-same-file.yaml:3:26)',
    "23-delivery-not-met.yaml": "3:3: r.required_delivery: asks for effectively_once, but the route is at least once: input.file ",
    "24-unknown-endpoint.yaml": '4:13: r.output.kafak: no plugin offers the endpoint "kafak"',
    "25-yaml-syntax.yaml": "3:",
    "26-memory-no-topic.yaml": "3:12: r.input.memory",
    "27-panic-not-allowed.yaml": '6:22: r.output.middlewares[0].random_panic: injects faults, which needs "allow_fault_injection: true" in the route',
}


class Golden(bridge.Case):
    def setUp(self):
        super().setUp()
        for file in [*GOLDEN.glob("*.yaml"), *GOLDEN.glob("*.json"), *GOLDEN.glob("bad/*.yaml")]:
            shutil.copy(file, self.folder)

    def check(self, name):
        done = self.bridge("check", name)
        return done.returncode, done.stderr.splitlines()

    def test_what_is_expected_of_each_file_is_known(self):
        rows = [line.split("\t") for line in (GOLDEN / "EXPECT.tsv").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(sorted(row[0] for row in rows),
                         sorted(p.name for p in GOLDEN.iterdir() if re.match(r"\d\d-.*\.(yaml|json)$", p.name)))
        self.assertLessEqual(set(LOADS), {row[0] for row in rows if row[2].startswith("loads")})
        self.assertEqual(set(REFUSED), {row[0] for row in rows if row[1] == "never"})

    def test_files_that_load(self):
        for name, warnings in LOADS.items():
            with self.subTest(name):
                self.assertEqual(self.check(name), (0, warnings))

    def test_files_of_another_form_are_refused(self):
        for name, lines in REFUSED.items():
            with self.subTest(name):
                self.assertEqual(self.check(name), (2, lines))

    def test_the_others_lack_plugins_and_nothing_else(self):
        count = 0
        for file in sorted(GOLDEN.glob("[0-9][0-9]-*.yaml")):
            if file.name in LOADS or file.name in REFUSED:
                continue
            count += 1
            with self.subTest(file.name):
                code, lines = self.check(file.name)
                for line in lines:
                    self.assertTrue(any(re.search(pattern, line) for pattern in NOT_YET), line)
                if code != 0:
                    self.assertEqual(code, 2)
                    self.assertNotEqual([line for line in lines if ": warning: " not in line], [])
        self.assertEqual(count, 19)

    def test_bad_files_are_refused_at_the_right_place(self):
        names = sorted(p.name for p in GOLDEN.glob("bad/*.yaml"))
        self.assertLess(len(BAD), len(names))
        for name in names:
            with self.subTest(name):
                code, lines = self.check(name)
                self.assertEqual(code, 2)
                # Two blanks in front: an excerpt.
                self.assertTrue(all(line.startswith((name + ":", "  ")) for line in lines), lines)
                if name in BAD:
                    self.assertTrue(lines[0].startswith(f"{name}:{BAD[name]}"), lines)


if __name__ == "__main__":
    bridge.main()
