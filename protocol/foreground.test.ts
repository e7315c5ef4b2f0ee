import { expect, test } from "vitest";
import { formatReader, formatUnlocked } from "./foreground.ts";

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
