import { expect, test } from "vitest";
import { conversation } from "../../test/support/conversations.ts";
import {
  formatTurnEnd,
  formatKind,
  formatReach,
  formatState,
  describeTool,
} from "./conversation-texts.ts";

test("AC71 states, ends and kinds are words; what no table has is said as it is", () => {
  expect(formatState(conversation())).toBeUndefined();
  expect(formatState(conversation({ state: "ended", why: "It was \u001Bstopped." }))).toBe(
    "This conversation has ended. It was ‹ESC›stopped.",
  );
  expect(formatState(conversation({ state: "lost", why: "its process ended (SIGHUP)" }))).toBe(
    "The agent’s connection is lost: its process ended (SIGHUP).",
  );
  expect(formatState(conversation({ state: "ended" }))).toBe("This conversation has ended.");
  expect([formatTurnEnd("cancelled"), formatTurnEnd("constructor")]).toEqual([
    "Cancelled",
    "The turn ended: constructor",
  ]);
  expect([
    describeTool("execute").sign,
    describeTool("toString").name,
    describeTool("other").name,
  ]).toEqual(["$", "Tool", "Tool"]);
  const prompt = { id: "1", at: 1, kind: "prompt", by: "", text: "x" } as const;
  expect(formatKind(prompt, "claude")).toBe("Prompt by someone");
});

test("AC128 a conversation says what its agent runs by itself, and behind which wall", () => {
  expect(formatReach(conversation())).toContain("are not shown and need no approval");
  expect(formatReach(conversation({ isolation: "sandbox" }))).toContain("in a sandbox");
  expect(formatReach(conversation({ via: "socket" }))).toContain("runs elsewhere");
});
