import { expect, test } from "vitest";
import { conversation } from "../../test/support/conversations.ts";
import { endOfTurn, kindOf, reachOf, stateOf, toolOf } from "./words.ts";

test("AC71 states, ends and kinds are words; what no table has is said as it is", () => {
  expect(stateOf(conversation())).toBeUndefined();
  expect(stateOf(conversation({ state: "ended", why: "It was \u001Bstopped." }))).toBe(
    "This conversation has ended. It was ‹ESC›stopped.",
  );
  expect(stateOf(conversation({ state: "lost", why: "its process ended (SIGHUP)" }))).toBe(
    "The agent’s connection is lost: its process ended (SIGHUP).",
  );
  expect(stateOf(conversation({ state: "ended" }))).toBe("This conversation has ended.");
  expect([endOfTurn("cancelled"), endOfTurn("constructor")]).toEqual([
    "Cancelled",
    "The turn ended: constructor",
  ]);
  expect([toolOf("execute").sign, toolOf("toString").name, toolOf("other").name]).toEqual([
    "$",
    "Tool",
    "Tool",
  ]);
  const prompt = { id: "1", at: 1, kind: "prompt", by: "", text: "x" } as const;
  expect(kindOf(prompt, "claude")).toBe("Prompt by someone");
});

test("AC128 a conversation says what its agent runs by itself, and behind which wall", () => {
  expect(reachOf(conversation())).toContain("are not shown and need no approval");
  expect(reachOf(conversation({ isolation: "sandbox" }))).toContain("in a sandbox");
  expect(reachOf(conversation({ via: "socket" }))).toContain("runs elsewhere");
});
