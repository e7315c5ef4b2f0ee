import { expect, test } from "vitest";
import { formatJson } from "./content-format.ts";
import { toToolPatch } from "./tool-call.ts";

const LIST = Array.from({ length: 100_000 }, () => 1);

function nested(depth: number, inmost: unknown): unknown {
  let value = inmost;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

test("AC11 what an agent's tool gets is shown as JSON with an indent", () => {
  const values = [
    { path: "/a", edits: [{ old: 'x"\n', new: "" }], empty: {}, none: [], no: null, yes: true },
    [1, -2.5, [[]], "é\u0007"],
    "text",
    null,
    nested(30, "inmost"),
  ];
  for (const value of values) {
    expect(formatJson(value, 10_000)).toBe(JSON.stringify(value, undefined, 2));
  }
});

test("AC97 an agent's value costs what is shown of it, however deep and long it is", () => {
  const began = performance.now();
  for (const value of [
    nested(2_500, LIST),
    nested(30, LIST),
    nested(100_000, 1),
    ["x".repeat(1e6)],
  ]) {
    const { input = "" } = toToolPatch({ toolCallId: "1", rawInput: value });
    expect(input.length).toBeLessThan(13_000);
    expect(input).toMatch(/^[[{]/);
    expect(input).toContain("…");
  }
  expect(performance.now() - began).toBeLessThan(1_000);
});
