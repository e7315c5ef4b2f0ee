import { expect, test } from "vitest";
import { forgetSigns, progressOf, sign, signs } from "./signs.ts";

test("WT8 progress is read as programs write it, and nothing else is", () => {
  expect(progressOf("4;1;42")).toEqual({ state: "running", percent: 42 });
  expect(progressOf("4;2;80")).toEqual({ state: "failed", percent: 80 });
  expect(progressOf("4;3")).toEqual({ state: "unknown", percent: 0 });
  expect(progressOf("4;4;1000")).toEqual({ state: "paused", percent: 100 });
  expect(progressOf("4;0;0")).toBeUndefined();
  for (const other of ["4;9;1", "4", "hello", "4;x", "4;1;2;3", ""])
    expect(progressOf(other), other).toBeNull();
});

test("WT8 signs of a terminal are kept until they are over, or it is", () => {
  sign("a", { rang: false });
  expect(signs.value.has("a")).toBe(false);
  sign("a", { rang: true });
  sign("a", { progress: { state: "running", percent: 1 } });
  expect(signs.value.get("a")).toEqual({
    rang: true,
    progress: { state: "running", percent: 1 },
  });
  sign("a", { rang: false, progress: undefined });
  expect(signs.value.get("a")?.rang).toBe(false);
  forgetSigns("a");
  expect(signs.value.has("a")).toBe(false);
});
