import { expect, test } from "vitest";
import { explainExit } from "./exit-reasons.ts";
import { formatTerminalEnd, formatShortTerminalEnd } from "./terminal-names.ts";

const code = (exitCode: number) => explainExit({ exitCode, signal: null });

test("WT3 an exit has a reason where its code or signal has one by custom", () => {
  expect(explainExit({ exitCode: null, signal: "SIGSEGV" })).toMatch(/^crashed: /);
  expect(explainExit({ exitCode: null, signal: "SIGKILL" })).toMatch(/out of memory/);
  expect(code(126)).toMatch(/no permission/);
  expect(code(127)).toBe("command not found");
  expect(code(130)).toBe("interrupted, as by Ctrl-C (SIGINT)");
  expect(code(137)).toMatch(/^killed.*\(SIGKILL\)$/);
  expect(code(139)).toMatch(/^crashed: .*\(SIGSEGV\)$/);
  expect(code(143)).toBe("asked to stop (SIGTERM)");
  for (const own of [0, 1, 2, 3, 128, 160, 255, 256])
    expect(code(own), String(own)).toBeUndefined();
  expect(explainExit("gone")).toBeUndefined();
  expect(explainExit({ exitCode: null, signal: "SIG64" })).toBeUndefined();
  expect(explainExit({ exitCode: null, signal: null })).toBeUndefined();
});

test("WT45 of a terminal that someone closed the page says who, not what its program got", () => {
  const hung = { exitCode: null, signal: "SIGHUP" };
  expect(explainExit(hung)).toBe("its terminal was closed");
  expect(explainExit({ ...hung, onPurpose: true })).toBeUndefined();
  expect(explainExit({ ...hung, onPurpose: true, by: "Ben (guest)" })).toBe("by Ben (guest)");
});

test("WT4 of a terminal that this page lost sight of it says what may be, and not which", () => {
  expect(formatTerminalEnd("unseen")).toBe("no longer shown");
  expect(formatShortTerminalEnd("unseen")).toBe("gone");
  expect(explainExit("unseen")).toBe("it ended, or it is no longer shared with you");
});
