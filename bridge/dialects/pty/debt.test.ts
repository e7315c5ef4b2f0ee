import fc from "fast-check";
import { expect, test } from "vitest";
import { MiB, REPLAY_BYTES, SILENT_PEER_BYTES } from "../../../protocol/limits.ts";
import { costOf, Debt } from "./debt.ts";

test("V8 whoever attaches and never answers is sent 16 MiB and one replay at most", () => {
  const cost = fc.integer({ min: 0, max: REPLAY_BYTES });
  fc.assert(
    fc.property(fc.array(cost, { maxLength: 100 }), fc.array(fc.integer()), (costs, guesses) => {
      const debt = new Debt(() => 0.5);
      let sent = 0;
      for (const bytes of costs) if (debt.attach(bytes) !== "refuse") sent += bytes;
      for (const guess of guesses) debt.answered(guess);
      expect(sent).toBeLessThanOrEqual(SILENT_PEER_BYTES + REPLAY_BYTES);
    }),
  );
});

test("V8 whoever answers may attach for ever", () => {
  let last = 100;
  const debt = new Debt(() => ++last);
  for (let turn = 0; turn < 1_000; turn++) {
    const told = debt.attach(2 * MiB);
    expect(told).not.toBe("refuse");
    if (typeof told === "number") debt.answered(told);
  }
});

test("V8 an attach costs what it brings", () => {
  expect(costOf(5 * MiB, 5 * MiB)).toBe(0);
  expect(costOf(9 * MiB, 5 * MiB)).toBe(0);
  expect(costOf(0, 5 * MiB)).toBe(REPLAY_BYTES);
  expect(costOf(undefined, 0)).toBeGreaterThan(0);
});
