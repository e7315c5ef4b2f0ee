// The shape of a tool's failure.

import { expect, test } from "vitest";
import { toFailure } from "./tool-results.ts";

test("Q106 other reasons are a block of their own, and a field where a failure has fields", () => {
  const notes = { hint: "a. Do it another way.", moreReasons: ["b", "c"] };
  const content = ["blocked", notes.hint, "Other reasons:\nb\nc"].map((text) => ({
    type: "text",
    text,
  }));
  expect(toFailure("blocked", undefined, notes)).toEqual({ content, isError: true });
  expect(toFailure("blocked", { retryAfterMs: 1 }, notes)).toEqual({
    content,
    isError: true,
    structuredContent: { error: "blocked", ...notes, retryAfterMs: 1 },
  });
  expect(toFailure("gone")).toEqual({ content: [{ type: "text", text: "gone" }], isError: true });
});
