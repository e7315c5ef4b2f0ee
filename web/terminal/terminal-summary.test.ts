import { expect, test } from "vitest";
import { getChips } from "./terminal-summary.ts";

const terminal = { id: "pty-aaaaaa", cwd: "/", visible: true, createdAt: 0 } as const;

test("Z58 a tab shows that its terminal is private, to those who see it", () => {
  const [chip, ...more] = getChips({ terminal: { ...terminal, owner: "user", private: true } });
  expect([chip?.text, more]).toEqual(["private", []]);
});

test("I3 a tab shows the wall that its terminal stands behind, promoted or not", () => {
  const chips = (more: object) =>
    getChips({ terminal: { ...terminal, owner: "user", ...more } }).map(({ text }) => text);
  expect(chips({})).toEqual([]);
  expect(chips({ owner: "agent", isolation: "sandbox" })).toEqual(["sandbox"]);
  expect(chips({ startedBy: "Ada", isolation: "container" })).toEqual([
    "from an agent",
    "container",
  ]);
});
