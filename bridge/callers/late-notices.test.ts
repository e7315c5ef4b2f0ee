import { expect, test } from "vitest";
import { PTY_REQUESTS } from "../../protocol/pty-requests.ts";
import { formatLate } from "./late-notices.ts";

test("W99 a dropped message is named by what it would have done", () => {
  expect(formatLate("pty:input")).toBe(
    "The host was asleep: what you typed was not run. Try again.",
  );
  expect(formatLate("pty:spawn")).toBe("The host was asleep: no terminal was opened. Try again.");
  const unnamed = "The host was asleep: your last action was not carried out. Try again.";
  for (const type of ["toString", "__proto__"]) expect(formatLate(type)).toBe(unnamed);
  for (const { schema, isLateSafe } of PTY_REQUESTS) {
    const type = schema.shape.type.def.values[0] ?? "";
    if (isLateSafe !== true) expect(formatLate(type), type).not.toBe(unnamed);
  }
});
