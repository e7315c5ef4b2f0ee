// When the confirmation code is needed, and what a wrong one causes.

import fc from "fast-check";
import { expect, test } from "vitest";
import { ElevationGate } from "./elevation-gate.ts";

const CODE = "48217730";
const WRONG = "11111111";

function gate(hasAgentCalled = false) {
  let now = 0;
  const messages: string[] = [];
  const elevationGate = new ElevationGate({
    code: CODE,
    hasAgentCalled,
    now: () => now,
    onFirstCall: () => messages.push("called"),
    onWrong: () => messages.push("wrong"),
  });
  const why = (code?: string) => elevationGate.checkCode(code)?.why;
  return { elevationGate, messages, why, pass: (milliseconds: number) => (now += milliseconds) };
}

test("Q40 Q88 people alone need no code; from the first call of an agent on everyone does", () => {
  const { elevationGate, messages, why } = gate();
  expect([why(), why(CODE), elevationGate.hasAgentCalled]).toEqual([undefined, undefined, false]);
  elevationGate.recordAgentCall();
  elevationGate.recordAgentCall();
  expect([why(), why(CODE), elevationGate.hasAgentCalled]).toEqual(["needed", undefined, true]);
  expect([why("4821 7730"), why("4821-7730")]).toEqual([undefined, undefined]);
  expect(messages).toEqual(["called"]);
  expect(gate(true).why()).toBe("needed");
});

test("Q40 an allow needs the code whether an agent is known or not, and says why", () => {
  for (const { elevationGate } of [gate(), gate(true)]) {
    const refusal = elevationGate.checkCode(undefined, true);
    expect(refusal).toMatchObject({ why: "needed", error: expect.stringContaining("allowing") });
    expect(refusal?.hint).toContain("key k");
    expect(elevationGate.checkCode(WRONG, true)?.why).toBe("wrong");
    expect(elevationGate.checkCode(CODE, true)).toBeUndefined();
  }
});

test("Q41 Q89 a wrong code is refused also where none is needed, and after five in a minute none counts", () => {
  const { messages, why, pass } = gate();
  for (const code of [WRONG, "", CODE.slice(1), `${CODE}0`, "x"]) expect(why(code)).toBe("wrong");
  expect([why(CODE), why(WRONG)]).toEqual(["too often", "too often"]);
  // A request without a code is not affected.
  expect(why()).toBeUndefined();
  expect(messages).toHaveLength(5);
  pass(59_999);
  expect(why(CODE)).toBe("too often");
  pass(1);
  expect(why(CODE)).toBeUndefined();
});

test("Q89 whatever is tried, in whatever rhythm: at most five guesses are looked at in any minute", () => {
  const steps = fc.array(fc.record({ wait: fc.nat(20_000), right: fc.boolean() }), {
    maxLength: 80,
  });
  fc.assert(
    fc.property(steps, (plan) => {
      const { why, pass } = gate(true);
      const wrongAt: number[] = [];
      let now = 0;
      for (const { wait, right } of plan) {
        pass(wait);
        now += wait;
        const recent = wrongAt.filter((at) => now - at < 60_000).length;
        const answer = why(right ? CODE : WRONG);
        if (answer === "wrong") wrongAt.push(now);
        expect(answer).toBe(recent >= 5 ? "too often" : right ? undefined : "wrong");
      }
    }),
  );
});

test("Q42 a run's code is eight digits of its own", () => {
  const codes = Array.from({ length: 50 }, () => new ElevationGate({ hasAgentCalled: false }).code);
  expect(new Set(codes).size).toBe(50);
  for (const code of codes) expect(code).toMatch(/^[1-9]\d{7}$/);
});
