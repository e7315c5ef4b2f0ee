import { expect, test } from "vitest";
import { formatLate } from "./late-notices.ts";

test("W99 a dropped message is named by what it would have done", () => {
  expect(formatLate("pty:input")).toBe(
    "The host was asleep: what you typed was not run. Try again.",
  );
  for (const type of ["pty:give", "toString", "__proto__"])
    expect(formatLate(type)).toBe(
      "The host was asleep: your last action was not carried out. Try again.",
    );
});
