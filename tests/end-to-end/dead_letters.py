"""dead_letters: routes whose output refuses what a script says, and their dead letters."""
import base64
import json

import bridge

REFUSED = {"answer": "refused", "text": 'there is no column "total"'}


class Letters(bridge.Case):
    def route(self, name="orders", more="", output="", drain=True):
        """File NAME.txt, raw, to the scripted output of NAME.json, which logs to NAME.log."""
        output = output or f"{{scripted: {{script: {name}.json, log: {name}.log}}}}"
        return (f"{name}:\n  exit_on_empty: {str(drain).lower()}\n  batch_size: 4\n{more}"
                f"  input: {{file: {{path: {name}.txt, format: raw}}}}\n  output: {output}\n")

    def answers(self, answers, name="orders"):
        self.write(f"{name}.json", json.dumps(answers))

    def lines(self, lines, name="orders"):
        (self.folder / f"{name}.txt").write_bytes(b"".join(line + b"\n" for line in lines))

    def sent(self, name="orders"):
        """What the scripted output was asked to send, in order."""
        path = self.folder / f"{name}.log"
        said = [line.split(" ", 1)[1] for line in path.read_text().splitlines()] if path.exists() else []
        return [what.removeprefix("send ") for what in said if what.startswith("send ")]

    def run_to_end(self, *options, code=0):
        running = self.start("run", "routes.yaml", *options)
        self.assertEqual(running.end(), code, running.text)
        return running

    def dlq(self, *arguments, code=0):
        """The JSON that `dlq` prints."""
        done = self.bridge("dlq", *arguments, "--json")
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return json.loads(done.stdout) if done.stdout else done.stderr

    def count(self):
        """The letters so far; the host may not have begun."""
        done = self.bridge("dlq", "list", "--json")
        return len(json.loads(done.stdout)) if done.returncode == 0 else 0

    def payloads(self):
        return [base64.b64decode(self.dlq("show", letter["id"])["payload_base64"]) for letter in self.dlq("list")]
