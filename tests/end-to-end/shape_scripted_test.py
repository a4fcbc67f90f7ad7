"""Requests and answers from scripts: each reply finds its request, failures are sent again, and the logs say when."""
import json
import re

import bridge

ROUTE = """
asking:
  exit_on_empty: true
  reconnect_interval_ms: 20
  input: {scripted: {script: requests.json, log: consumer.log}}
  output: {scripted: {script: answers.json, log: publisher.log, responds: true}}
"""


class Scripted(bridge.Case):
    def run_script(self, requests, answers, code=0):
        self.write("requests.json", json.dumps(requests))
        self.write("answers.json", json.dumps(answers))
        self.write("routes.yaml", ROUTE)
        running = self.start("run", "routes.yaml")
        self.assertEqual(running.end(), code, running.text)
        return running, running.ledgers()["asking"]

    def log(self, name):
        """(milliseconds, what)"""
        lines = (self.folder / name).read_text().splitlines()
        return [(float(at), what) for at, what in (line.split(" ", 1) for line in lines)]

    def test_each_reply_finds_its_request(self):
        requests = [{"payload": f"question {i}"} for i in range(50)]
        answers = [{"response": f"answer {i}", "delay_ms": (i * 7) % 5} for i in range(50)]
        _, ledger = self.run_script(requests, answers)
        self.assert_exact(ledger)
        self.assertEqual((ledger["received"], ledger["replied"]), (50, 50), ledger)
        asked = [what.removeprefix("send question ") for _, what in self.log("publisher.log") if what.startswith("send ")]
        self.assertEqual(sorted(asked, key=int), [str(i) for i in range(50)])
        # The answers are given out in the order in which the questions come.
        wanted = {f"reply question {question}: answer {place}" for place, question in enumerate(asked)}
        self.assertEqual({what for _, what in self.log("consumer.log") if what.startswith("reply ")}, wanted)

    def test_what_fails_is_sent_again_and_not_before_its_time(self):
        answers = [{"answer": "again", "not_before_ms": 120, "text": "busy"}, {"answer": "uncertain"}, {"response": "at last"}]
        running, ledger = self.run_script([{"payload": "once"}], answers)
        self.assertEqual((ledger["received"], ledger["replied"]), (1, 1), ledger)
        self.assertRegex(running.text, "busy")
        sent = [at for at, what in self.log("publisher.log") if what == "send once"]
        self.assertEqual(len(sent), 3)
        self.assertGreaterEqual(sent[1] - sent[0], 120)
        self.assertEqual([what for _, what in self.log("consumer.log")][1:], ["request once", "reply once: at last"])

    def test_a_delay_and_a_lost_connection(self):
        answers = [{"delay_ms": 60}, {"status": "disconnected", "answer": "unsent"}]
        _, ledger = self.run_script([{"payload": "slow"}, {"payload": "lost", "delay_ms": 80}], answers)
        self.assert_delivered(ledger, 2)
        log = self.log("publisher.log")
        self.assertEqual([what for _, what in log if what != "answered 0"],
                         ["connect", "send slow", "answered 1", "send lost", "answered 1", "connect", "send lost", "answered 1"])
        self.assertGreaterEqual(log[2][0] - log[1][0], 60)
        asked = {what: at for at, what in self.log("consumer.log")}
        self.assertGreaterEqual(asked["request lost"] - asked["request slow"], 80)

    def test_a_settle_that_is_not_recorded_comes_again(self):
        _, ledger = self.run_script([{"payload": "a", "settle": "retry"}, {"payload": "b", "settle": "gone"}], [], code=1)
        self.assert_exact(ledger)
        self.assertEqual((ledger["received"], ledger["delivered"], ledger["returned"]), (3, 2, 1), ledger)
        said = [what for _, what in self.log("consumer.log")]
        self.assertEqual((said.count("request a"), said.count("ack a")), (1, 2), said)
        self.assertEqual((said.count("request b"), said.count("ack b")), (2, 2), said)

    def test_a_script_that_makes_no_sense_stops_the_route(self):
        running, _ = self.run_script([{"payload": "a"}], [{"answer": "perhaps"}], code=1)
        self.assertTrue(re.search(r'script: entry 0 answer is "perhaps"', running.text), running.text)


if __name__ == "__main__":
    bridge.main()
