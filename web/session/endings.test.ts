import { expect, test } from "vitest";
import { reasonOf } from "./endings.ts";
import { endingOf, shortEndingOf } from "./names.ts";

const code = (exitCode: number) => reasonOf({ exitCode, signal: null });

test("WT3 an exit has a reason where its code or signal has one by custom", () => {
  expect(reasonOf({ exitCode: null, signal: "SIGSEGV" })).toMatch(/^crashed: /);
  expect(reasonOf({ exitCode: null, signal: "SIGKILL" })).toMatch(/out of memory/);
  expect(code(126)).toMatch(/no permission/);
  expect(code(127)).toBe("command not found");
  expect(code(130)).toBe("interrupted, as by Ctrl-C (SIGINT)");
  expect(code(137)).toMatch(/^killed.*\(SIGKILL\)$/);
  expect(code(139)).toMatch(/^crashed: .*\(SIGSEGV\)$/);
  expect(code(143)).toBe("asked to stop (SIGTERM)");
  for (const own of [0, 1, 2, 3, 128, 160, 255, 256])
    expect(code(own), String(own)).toBeUndefined();
  expect(reasonOf("gone")).toBeUndefined();
  expect(reasonOf({ exitCode: null, signal: "SIG64" })).toBeUndefined();
  expect(reasonOf({ exitCode: null, signal: null })).toBeUndefined();
});

test("WT45 of a terminal that somebody closed the page says who, not what its program got", () => {
  const hung = { exitCode: null, signal: "SIGHUP" };
  expect(reasonOf(hung)).toBe("its terminal was closed");
  expect(reasonOf({ ...hung, onPurpose: true })).toBeUndefined();
  expect(reasonOf({ ...hung, onPurpose: true, by: "Ben (guest)" })).toBe("by Ben (guest)");
});

test("WT4 of a terminal that this page lost sight of it says what may be, and not which", () => {
  expect(endingOf("unseen")).toBe("no longer shown");
  expect(shortEndingOf("unseen")).toBe("gone");
  expect(reasonOf("unseen")).toBe("it ended, or it is no longer shared with you");
});
