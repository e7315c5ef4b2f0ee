import { expect, test } from "vitest";
import {
  getChips,
  clearActivity,
  parseProgress,
  updateActivity,
  terminalActivity,
} from "./terminal-summary.ts";

test("WT8 progress is read as programs write it, and nothing else is", () => {
  expect(parseProgress("4;1;42")).toEqual({ state: "running", percent: 42 });
  expect(parseProgress("4;2;80")).toEqual({ state: "failed", percent: 80 });
  expect(parseProgress("4;3")).toEqual({ state: "unknown", percent: 0 });
  expect(parseProgress("4;4;1000")).toEqual({ state: "paused", percent: 100 });
  expect(parseProgress("4;0;0")).toBeUndefined();
  for (const other of ["4;9;1", "4", "hello", "4;x", "4;1;2;3", ""])
    expect(parseProgress(other), other).toBeNull();
});

test("WT8 signs of a terminal are kept until they are over, or it is", () => {
  updateActivity("a", { rang: false });
  expect(terminalActivity.value.has("a")).toBe(false);
  updateActivity("a", { rang: true });
  updateActivity("a", { progress: { state: "running", percent: 1 } });
  expect(terminalActivity.value.get("a")).toEqual({
    rang: true,
    progress: { state: "running", percent: 1 },
  });
  updateActivity("a", { rang: false, progress: undefined });
  expect(terminalActivity.value.get("a")?.rang).toBe(false);
  clearActivity("a");
  expect(terminalActivity.value.has("a")).toBe(false);
});

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
