import { expect, test } from "vitest";
import { FailureLines, MAX_FAILURE_CHARS, weighLine, findFailures } from "./failures.ts";

test.each([
  "not ok 412 - adds two numbers",
  "   × adds two numbers 5ms",
  "  ✕ adds two numbers (5 ms)",
  " FAIL  src/sum.test.ts > adds two numbers",
  "--- FAIL: TestSum (0.00s)",
  "test sum::adds ... FAILED",
  "FAILED tests/test_sum.py::test_adds - assert 4 == 5",
  "tests/test_sum.py::test_adds FAILED                  [ 51%]",
  "E       assert 4 == 5",
  "SumTest > adds() FAILED",
  "thread 'sum::adds' panicked at src/lib.rs:7:9:",
  "Traceback (most recent call last):",
  "ValueError: bad",
  "AssertionError [ERR_ASSERTION]: 4 == 5",
  "src/sum.ts(3,5): error TS2322: Type 'string' is not assignable",
  "src/sum.ts:3:5 - error TS2322: Type 'string' is not assignable",
  "error[E0308]: mismatched types",
  "sum.c:3:5: error: expected ';'",
  "sum.c:3:5: fatal error: no.h: No such file or directory",
  "  3:10  error  'x' is not defined  no-undef",
  "[ERROR] Failed to execute goal",
  "ERROR: failed to solve: process did not complete",
  "make: *** [Makefile:3: all] Error 1",
  "npm ERR! code ELIFECYCLE",
  "npm error code ENOENT",
  "fatal: not a git repository",
  "Segmentation fault (core dumped)",
  "412/800 Test #412: adds_two_numbers .........***Failed    0.01 sec",
  "(fail) math > adds two numbers [0.40ms]",
  "  Failed Ns.MathTests.AddsTwoNumbers [12 ms]",
  "    1) adds two numbers",
  "|   '-- adds() [X] expected: <4> but was: <5>",
  "MathTest#test_adds = 0.00 s = F",
])("Y31 a failure: %s", (line) => {
  expect(weighLine(line)).toBe("failure");
});

test.each([
  "ok 12 - throws Error: bad",
  "  ✓ returns error: not found (5 ms)",
  " ✔ fails with a TypeError: x",
  "PASS src/error.test.ts",
  "--- PASS: TestError (0.00s)",
  "test errors::fatal ... ok",
  "tests/test_error.py::test_failed PASSED",
  "0 errors, 0 warnings",
  "Found 0 errors. Watching for file changes.",
  "# fail 0",
  "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
  "# pass 799",
  "411/800 Test #411: returns_an_error .........   Passed    0.01 sec",
  "(pass) parser > returns an error [0.12ms]",
  "  Passed Ns.ErrorTests.Fails [< 1 ms]",
  "tests/test_error.py::test_failed PASSED [ 51%]",
  "Test Case '-[T.ErrorTests testError]' passed (0.001 seconds).",
  "|   '-- error() [OK]",
  "ErrorTest#test_fails = 0.00 s = .",
  "  * test returns an error (0.1ms) [L#3]",
  "compiling src/main.rs",
  "",
])("Y111 not a failure: %s", (line) => {
  expect(weighLine(line)).toBe("none");
});

function pick(text: string, maxChars = MAX_FAILURE_CHARS): string {
  const lines = new FailureLines(maxChars);
  for (const line of text.split("\n")) lines.add(line);
  return lines.text();
}

test("Y31 a summary with one failure among zeros is one that mentions it", () => {
  expect(weighLine("Tests run: 5, Failures: 1, Errors: 0")).toBe("mention");
});

test("Y31 a failure comes with what follows it, up to the next test that passed", () => {
  const text =
    "ok 1 - one\nnot ok 2 - two\n  ---\n  expected: 4\n  actual: 5\nok 3 - three\nplain\nnot ok 4 - four";
  expect(pick(text)).toBe(
    "not ok 2 - two\n  ---\n  expected: 4\n  actual: 5\n--\nnot ok 4 - four\n",
  );
});

test("Y31 Y110 lines that mention errors come behind failures, and what repeats is shown once", () => {
  const mentions = Array.from({ length: 500 }, (_, n) => `retry ${n + 1} failed, again`).join("\n");
  const text = `${mentions}\n\nnot ok 2 - two\n\n${"error: the same\n\n".repeat(100)}`;
  const shown = pick(text);
  expect(shown.length).toBeLessThanOrEqual(MAX_FAILURE_CHARS);
  expect(shown).toMatch(/^retry 1 failed, again\nretry 2 failed/);
  expect(shown).toContain("--\nnot ok 2 - two\n--\nerror: the same\n");
  expect(shown.match(/the same/g)).toHaveLength(1);
  expect(shown.match(/retry/g)?.length).toBeLessThan(60);
});

test("Y31 however many fail and however long their lines are, the bound holds and the first are shown", () => {
  const text = Array.from({ length: 10_000 }, (_, n) => `error: x${"x".repeat(n)}`).join("\n");
  const shown = pick(text);
  expect(shown.startsWith("error: x\nerror: xx\n")).toBe(true);
  expect(shown.length).toBeLessThanOrEqual(MAX_FAILURE_CHARS);
  expect(shown.length).toBeGreaterThan(MAX_FAILURE_CHARS / 2);
  expect(pick(`FAIL ${"y".repeat(5_000)}`)).toMatch(/^FAIL y{390,}…\n$/);
});

test("Y31 a line is weighed in time that grows with its length alone", () => {
  for (const unit of ["e", "Error", " error", "ok (", "a ", "\t", "E  ", "FAIL", "unhandled "]) {
    const line = unit.repeat(100_000);
    const before = performance.now();
    for (let n = 0; n < 100; n++) weighLine(line);
    // A watchdog: with backtracking it would take minutes.
    expect(performance.now() - before, unit).toBeLessThan(10_000);
  }
});

const FAILED = "not ok 412 - adds two numbers\n  ---\n  expected: 4\n  actual: 5\n";

function run(tests: number, failing: number): string {
  const lines = Array.from({ length: tests }, (_, n) =>
    n === failing ? FAILED : `ok ${n} - handles an error: the ${n}th\n`,
  );
  return lines.join("");
}

const scan = (text: string, from = 0, to = Buffer.byteLength(text)) =>
  findFailures([{ offset: 0, bytes: Buffer.from(text) }], { from, to }, 3_900);

test("Y31 one failure of many is found wherever it stands, over the edges of what is read at once", async () => {
  const tests = 20_000;
  for (let failing = 0; failing < tests; failing += 1_733) {
    expect(await scan(run(tests, failing))).toBe(FAILED);
  }
  for (let shift = 0; shift < 70; shift++) {
    const text = `${"x".repeat(65_536 - shift)}\n${FAILED}ok 1\n`;
    expect(await scan(text), `${shift}`).toBe(FAILED);
  }
});

test("Y31 a line that the head ends within is weighed whole, and escape sequences are not text", async () => {
  const text = `ok 1\n\u001B[31mnot ok 2\u001B[39m - two\r\nok 3\r\n`;
  for (let from = text.indexOf("not"); from < text.indexOf("two"); from++) {
    expect(await scan(text, from)).toBe("not ok 2 - two\n");
  }
  expect(await scan(text, text.indexOf("ok 3"))).toBe("");
  expect(await scan(text, 0, text.indexOf("ok 2"))).toBe("");
});

test("Y31 what is not kept of an output does not hide the failures in the rest", async () => {
  const pieces = [
    { offset: 0, bytes: Buffer.from("ok 1\nnot ok 2 - two\nok") },
    { offset: 5_000, bytes: Buffer.from("ot ok 77\nok 78\nerror: late\nok 79\n") },
  ];
  expect(await findFailures(pieces, { from: 5, to: 5_035 }, 3_900)).toBe(
    "not ok 2 - two\n--\nerror: late\n",
  );
  expect(await findFailures(pieces, { from: 100, to: 4_000 }, 3_900)).toBe("");
});

test("Y31 a line without an end costs no more than its beginning", async () => {
  const text = `error: ${"y".repeat(1 << 20)}`;
  expect((await scan(text)).length).toBe(401);
});
