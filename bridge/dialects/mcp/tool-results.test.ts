// The shape of a tool's failure.

import { expect, test } from "vitest";
import { toFailure, formatListNotes, formatReadNotes } from "./tool-results.ts";

const READ = { offset: 0, next: 12, firstRetained: 0, truncated: false, exit: null };

test("Y26 Y114 what the documented JSON cannot say about a read stands beside it", () => {
  expect(formatReadNotes(READ)).toEqual(["Next offset: 12"]);
  expect(formatReadNotes({ ...READ, waited: "timeout" })).toEqual([
    "The wait ended: timeout",
    "Next offset: 12",
  ]);
  const closed = "after 5 minutes without activity";
  const exit = { exitCode: null, signal: "SIGTERM" };
  expect(formatReadNotes({ ...READ, exit, closed })).toEqual([
    "Ended by SIGTERM",
    "Closed: after 5 minutes without activity",
    "Next offset: 12",
  ]);
  const cut = { ...READ, truncated: true, offset: 10, firstRetained: 4 };
  expect(formatReadNotes({ ...cut, exit: { exitCode: 0, signal: null } })).toEqual([
    "Exit code: 0",
    "Cut before offset 10; kept from offset 4 on",
    "Next offset: 12",
  ]);
  expect(formatReadNotes({ ...cut, failures: "not ok 4\n" }).at(-1)).toBe(
    "What looks like failures in the cut:\nnot ok 4\n",
  );
  expect(formatReadNotes({ ...READ, matches: { matches: 3, shown: 2 } })[0]).toBe(
    "3 lines match; the last 2 are shown",
  );
  const none = { matches: 0, shown: 0, searchedFrom: 70_012 };
  expect(formatReadNotes({ ...READ, truncated: true, matches: none })[0]).toBe(
    "No line matches; searched from offset 70012 on, earlier output is not kept",
  );
});

test("Y143 what the documented JSON cannot say about the list stands beside it", () => {
  const common = { cwd: "/", owner: "user", visible: true, createdAt: 0 } as const;
  const notes = formatListNotes(
    [
      { ...common, id: "pty-000001", number: 1, title: 'a "b"' },
      { ...common, id: "pty-000002", number: 2 },
    ],
    new Map([["pty-000002", "vim"]]),
    3,
  );
  expect(notes).toEqual([
    'pty-000001: number 1, title "a \\"b\\""',
    "pty-000002: number 2, runs vim",
    "3 older terminals did not fit",
  ]);
});

test("Q106 other reasons are a block of their own, and a field where a failure has fields", () => {
  const notes = { hint: "a. Do it another way.", moreReasons: ["b", "c"] };
  const content = ["blocked", notes.hint, "The command policy also found:\nb\nc"].map((text) => ({
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
