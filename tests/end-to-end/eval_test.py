"""mqbridge eval: the examples of docs/expressions.md, exit codes and carets, and decimals against those of Python."""
import decimal
import json
import os
import pathlib
import random
import re
import subprocess

import bridge

PAGE = (pathlib.Path(os.environ["MQB_TEST_DOCS"]) / "expressions.md").read_text()


class Eval(bridge.Case):
    def evaluated(self, *arguments, stdin=""):
        return subprocess.run([bridge.BINARY, "eval", *arguments], cwd=self.folder, env=bridge.environment(), input=stdin, capture_output=True,
                              text=True, timeout=bridge.PATIENCE)

    def result(self, *arguments, **how):
        done = self.evaluated(*arguments, **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        self.assertTrue(done.stdout.endswith("\n"))
        return done.stdout[:-1]

    def test_each_example_of_the_page_gives_what_the_page_says(self):
        payload = re.search(r"```json\n(.*?)\n```", PAGE, flags=re.S)[1]
        examples = [line.split(" => ") for block in re.findall(r"```text\n(.*?)```", PAGE, flags=re.S) for line in block.splitlines() if " => " in line]
        self.assertGreater(len(examples), 80)
        for expression, expected in examples:
            with self.subTest(expression):
                done = self.evaluated("--", expression, payload)
                said = "error: " + done.stderr.split("\n")[0] if done.returncode else done.stdout[:-1]
                self.assertEqual(said, expected)

    def test_each_function_and_method_has_an_example(self):
        for name in ("len contains flatten merge mergeDeep upper lower trim startsWith endsWith matches extract fuzzyMatch split abs sum avg min max rand "
                     "median mode floor ceil round trunc isNumeric string number bool type keys values all none some one filter map flatMap count d date "
                     "time duration year dayOfWeek dayOfMonth dayOfYear weekOfYear monthOfYear monthString dateString weekdayString startOf endOf").split():
            self.assertRegex(PAGE, rf"(?m)^{name}\(.* => ", name)
        for name in ("add sub set format startOf endOf diff tz isSame isBefore isAfter isSameOrBefore isSameOrAfter second minute hour day dayOfYear week "
                     "weekday month quarter year timestamp offsetName isValid isYesterday isToday isTomorrow isLeapYear").split():
            self.assertRegex(PAGE, rf"(?m)^d\(.*\.{name}\(.* => ", name)

    def test_the_commands_of_the_page_run(self):
        lines = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, flags=re.S) for line in block.splitlines()]
        env = bridge.environment() | {"PATH": f"{pathlib.Path(bridge.BINARY).parent}:{os.environ['PATH']}"}
        said = [subprocess.run(["bash", "-c", line], cwd=self.folder, env=env, capture_output=True, text=True, timeout=bridge.PATIENCE) for line in lines]
        self.assertEqual([(s.stdout, s.returncode) for s in said],
                         [("11.89\n", 0), ("true\n", 0), ("true\n", 0), ('{"large":[{"n": 5}],"id":"x1"}\n', 0)])

    def test_a_message_comes_from_the_command_line_a_file_or_standard_input(self):
        self.write("message.json", '{"a": 1.10}')
        self.assertEqual(self.result("a", '{"a": 1.10}'), "1.10")
        self.assertEqual(self.result("a", "@message.json"), "1.10")
        self.assertEqual(self.result("a", "-", stdin='{"a": 1.10}'), "1.10")
        self.assertEqual(self.result("1 + 1"), "2")
        self.assertEqual(self.result("meta.k", "--metadata", "k=first", "--metadata", "k=a=b"), '"a=b"')
        self.assertEqual(self.result("--filter", "x", '{"x": false}'), "false")
        self.assertEqual(self.result("--", "-a", '{"a": 1}'), "-1")

    def test_exit_codes_and_carets(self):
        for arguments, code, said in (
                (["1 + lenn(a)", "{}"], 2, 'there is no function "lenn" (did you mean "len"?)\n  1 + lenn(a)\n      ^^^^\n'),
                (["--filter", "a = 1", "{}"], 2, '"=" sets a value, which a filter does not do (did you mean "=="?)\n  a = 1\n    ^\n'),
                (["2 * (a + 1)", "{}"], 1, '"a" is missing or null\n  2 * (a + 1)\n       ^\n'),
                (["a", "{"], 1, "the payload is not structured JSON: it ends too early\n  a\n  ^\n"),
                (["a"], 1, "the message has no payload\n  a\n  ^\n"),
                (["--filter", "a", '{"a": 1}'], 1, "the result is neither true nor false, but of the type number\n  a\n  ^\n"),
                (["a", "@nowhere.json"], 2, "nowhere.json: cannot be read\n"),
                (["a", "@."], 2, ".: cannot be read\n"),
                (["a", "--metadata", "k"], 2, 'mqbridge eval: --metadata takes KEY=VALUE, not "k"\n'),
                (["a", "--metadata", "=v"], 2, 'mqbridge eval: --metadata takes KEY=VALUE, not "=v"\n')):
            with self.subTest(arguments):
                done = self.evaluated(*arguments)
                self.assertEqual((done.stdout, done.stderr, done.returncode), ("", said, code))
        self.assertEqual(self.evaluated().returncode, 2)
        self.assertEqual(self.evaluated("").returncode, 2)

    def test_control_characters_of_an_expression_do_not_reach_the_terminal(self):
        done = self.evaluated("a \x1b[31m b", "{}")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("\x1b", done.stderr)

    def test_a_deep_payload_is_an_error_and_no_crash(self):
        for payload in ("[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000):
            done = self.evaluated("$root", "-", stdin=payload)
            self.assertEqual(done.returncode, 1)
            self.assertIn("nesting", done.stderr)

    def test_decimals_agree_with_those_of_python(self):
        dice = random.Random(20261130)
        context = decimal.Context(prec=38, rounding=decimal.ROUND_HALF_UP, traps=[decimal.InvalidOperation])
        quotients = decimal.Context(prec=28, rounding=decimal.ROUND_HALF_UP)

        def number():
            digits = "".join(dice.choice("0123456789") for _ in range(dice.randint(1, 12)))
            text = str(int(digits[:-1] or "0")) + ("." + digits[-dice.randint(1, 6):] if dice.random() < 0.6 else digits[-1])
            return dice.choice(["", "-"]) + re.sub(r"^0+(?=\d)", "", text)

        for _ in range(20):
            pairs = [(number(), number()) for _ in range(60)]
            expression = "[" + ", ".join(f"[{a} + {b}, {a} - {b}, {a} * {b}, {a} < {b}, {a} == {b}" +
                                         (f", {a} / {b}, {a} % {b}]" if decimal.Decimal(b) else "]") for a, b in pairs) + "]"
            rows = json.loads(self.result(expression), parse_float=decimal.Decimal, parse_int=decimal.Decimal)
            self.assertEqual(len(rows), len(pairs))
            for (a, b), row in zip(pairs, rows):
                x, y = decimal.Decimal(a), decimal.Decimal(b)
                expected = [context.add(x, y), context.subtract(x, y), context.multiply(x, y), x < y, x == y]
                if y:
                    expected += [quotients.divide(x, y), context.remainder(x, y)]
                with self.subTest(f"{a} {b}"):
                    self.assertEqual(row, expected)
                    # The scale, too; a zero has no sign here.
                    self.assertEqual([r.as_tuple().exponent for r in row[:3]], [e.as_tuple().exponent for e in expected[:3]])


if __name__ == "__main__":
    bridge.main()
