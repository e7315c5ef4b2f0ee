import { expect, test } from "vitest";
import { findFailures } from "./failure-scan.ts";

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
