import { expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import { endingOf, nameOf, plain } from "./title.ts";

const shell: Terminal = {
  id: "pty-abcdef",
  cwd: "/home/me/project",
  owner: "user",
  visible: true,
  createdAt: 0,
};

test("W2 a tab is called by its command, or by its folder", () => {
  expect(nameOf(shell)).toBe("project");
  expect(nameOf({ ...shell, cwd: "/" })).toBe("/");
  expect(nameOf({ ...shell, command: ["npm", "run", "dev"] })).toBe("npm run dev");
});

test("W2 a title from a program is plain text of a bounded length", () => {
  expect(plain("a\u0007b\u202Ec\n d")).toBe("a b c d");
  const long = plain("👍".repeat(100));
  expect(long.endsWith("…")).toBe(true);
  expect(long.length).toBeLessThanOrEqual(60);
  expect(/\p{Surrogate}/u.test(long)).toBe(false);
});

test("W5 an exit says its code or its signal", () => {
  expect(endingOf({ exitCode: 0, signal: null })).toBe("exited with 0");
  expect(endingOf({ exitCode: null, signal: "SIGKILL" })).toBe("killed by SIGKILL");
  expect(endingOf("gone")).toBe("ended");
});
