import { expect, test } from "vitest";
import { cleanTitle, getTitleError, formatReader, formatUnlocked } from "./names.ts";

test("I101 I106 what reads is named by its path, else as it was called; sudo is said of sudo alone", () => {
  const bash = { program: "/usr/bin/bash", command: ["bash"] };
  expect([formatReader(bash), formatUnlocked(bash)]).toEqual(["/usr/bin/bash", "logins stay open"]);
  const sudo = { program: null, command: ["/usr/bin/sudo", "make"] };
  expect([formatReader(sudo), formatUnlocked(sudo)]).toEqual([
    "another user’s program, sudo",
    "sudo stays open",
  ]);
  // Where nothing can be known, as outside Linux.
  for (const unknown of [{ program: null, command: [] }, { program: null }])
    expect([formatReader(unknown), formatUnlocked(unknown)]).toEqual([
      "an unknown program",
      "logins stay open",
    ]);
  const ssh = { program: "/usr/bin/ssh", command: ["ssh", "host"] };
  expect(formatUnlocked(ssh)).toBe("ssh stays open");
  expect(formatUnlocked({ program: "/tmp/notsudo" })).toBe("logins stay open");
});

test("W2 a title from a program is plain text of a bounded length", () => {
  expect(cleanTitle("a\u0007b\u202Ec\n d")).toBe("a b c d");
  const long = cleanTitle("👍".repeat(100));
  expect(long.endsWith("…")).toBe(true);
  expect(long.length).toBeLessThanOrEqual(60);
  expect(/\p{Surrogate}/u.test(long)).toBe(false);
});

test("GR18 a name has something to see and no half characters", () => {
  for (const name of ["", "web", "é", "e\u0301", "日本", "👩‍👩‍👧‍👦", "❤\uFE0F", "a\u200Cb"])
    expect(getTitleError(name), name).toBeUndefined();
  for (const name of [
    "\u200B",
    "\u3164",
    "\u2800",
    "\u2060\u115F",
    "\u0301",
    "\u{E0041}",
    "\uE000",
  ])
    expect(getTitleError(name), name).toContain("visible character");
  for (const name of ["\uD800", "a\uDC00b"])
    expect(getTitleError(name)).toContain("half of a surrogate pair");
});
