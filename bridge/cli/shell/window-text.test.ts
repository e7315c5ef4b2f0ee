import { expect, test } from "vitest";
import {
  formatPinnedNotice,
  formatSteppedIn,
  getKeyAction,
  formatStepInOffer,
} from "./window-text.ts";

test("I69 in an agent's terminal no key is typed before someone has stepped in; `i` does, others say so", () => {
  expect(getKeyAction("looking", Buffer.from("i"))).toBe("step in");
  for (const keys of ["x", "\r", "ii", "\u001b[A"]) {
    expect(getKeyAction("looking", Buffer.from(keys)), keys).toBe("offer");
  }
  expect(getKeyAction("asked", Buffer.from("secret"))).toBe("nothing");
  expect(getKeyAction("in", Buffer.from("i"))).toBe("type");
  expect(formatStepInOffer("Ctrl-\\")[0]).toContain("agent");
});

test("I101 the window says which program reads, who started it, and what stays open", () => {
  const words = (program: string | null, ...command: string[]) =>
    formatSteppedIn({ program, command, startedBy: "claude" }, "Ctrl-\\").join(" · ");
  const bash = words("/usr/bin/bash", "bash");
  expect(bash).toMatch(/\/usr\/bin\/bash of claude.*hands back.*logins stay open/);
  expect(bash.length).toBeLessThan(80);
  expect(bash).not.toContain("sudo");
  expect(words(null, "sudo", "make")).toMatch(/another user’s program, sudo of.*sudo stays open/);
  expect(words(null)).not.toContain("sudo");
});

test("I103 the line about it stays on the last row, and the program scrolls above it", () => {
  const text = formatPinnedNotice(["you are typing into sudo"], 40, 24);
  expect(text).toContain("\u001B[1;23r");
  expect(text).toContain("\u001B[24;1H");
  expect(text.startsWith("\u001B7") && text.endsWith("\u001B8")).toBe(true);
});
