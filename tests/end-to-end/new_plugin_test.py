"""What `mqbridge new plugin` writes builds outside the tree, against the installed SDK, and runs in a route."""
import json
import os
import subprocess

import bridge


class NewPlugin(bridge.Case):
    def call(self, *words):
        done = subprocess.run(list(map(str, words)), cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}\n{done.stderr}")

    def test_it_builds_and_runs(self):
        made = self.bridge("new", "plugin", "sample")
        self.assertEqual(made.returncode, 0, made.stderr)
        again = self.bridge("new", "plugin", "sample")
        self.assertEqual(again.returncode, 1)
        self.assertIn("is there already", again.stderr)
        for file in (self.folder / "sample").rglob("*"):
            self.assertNotIn("@NAME@", str(file))
            if file.is_file():
                self.assertNotIn("@NAME@", file.read_text())

        self.call("cmake", "--install", bridge.BUILD, "--prefix", self.folder / "sdk", "--component", "development")
        self.call("cmake", "-S", "sample", "-B", "built", f"-DCMAKE_PREFIX_PATH={self.folder / 'sdk'}", "-DCMAKE_BUILD_TYPE=Debug")
        self.call("cmake", "--build", "built")
        library = next((self.folder / "built").rglob("libmqb_sample.so"))
        told = self.bridge("describe", "sample", "--json", "--plugin", library)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertEqual(json.loads(told.stdout)["sides"], ["consumer", "publisher"])
        self.run_both_ways(library)

    def run_both_ways(self, library):
        lines = "".join(f"line {i}\n" for i in range(1000))
        self.write("in.txt", lines)
        for name, route in {
            "writes": {"input": {"file": {"path": "in.txt", "format": "raw"}}, "output": {"sample": {"path": "lines.txt"}}},
            "reads": {"input": {"sample": {"path": "lines.txt"}}, "output": {"file": {"path": "out.txt", "format": "raw"}}},
        }.items():
            self.write("routes.json", json.dumps({name: route}))
            running = self.start("run", "routes.json", "--drain", "--plugin", library)
            self.assertEqual(running.end(), 0, running.text)
            self.assert_delivered(running.ledgers()[name], 1000)
        self.assertEqual((self.folder / "out.txt").read_text(), lines)


if __name__ == "__main__":
    if os.environ.get("MQB_SANITIZED"):
        print("not under sanitizers")
    else:
        bridge.main()
