import { expect, test } from "vitest";
import type { Terminal } from "../../protocol/terminal.ts";
import { endingOf, namesOf, plain, toText } from "./title.ts";

const shell: Terminal = {
  id: "pty-abcdef",
  cwd: "/home/me/project",
  owner: "user",
  visible: true,
  createdAt: 0,
};

/** What tabs are called, in the order given. */
function called(...tabs: { terminal?: Partial<Terminal>; title?: string }[]): string[] {
  const all = tabs.map(({ terminal = {}, title }, at) => ({
    terminal: { ...shell, id: `pty-${at}`, createdAt: at, ...terminal },
    opened: false,
    unread: false,
    ...(title === undefined ? {} : { title }),
  }));
  const names = namesOf(all);
  return all.map(({ terminal }) => toText(names.get(terminal.id)));
}

test("W10 a tab is called as its program says, else by its command, else by its folder", () => {
  expect(called({})).toEqual(["project"]);
  expect(called({ terminal: { cwd: "/" } })).toEqual(["/"]);
  expect(called({ terminal: { command: ["npm", "run", "dev"] } })).toEqual(["npm run dev"]);
  expect(called({ terminal: { command: ["/bin/bash", "-l"] } })).toEqual(["bash -l"]);
  expect(called({ terminal: { command: ["vim"] }, title: "notes.md" })).toEqual(["notes.md"]);
  expect(called({ title: "" })).toEqual(["project"]);
});

test("W10 tabs of one name are told apart, by the order of their making wherever they stand", () => {
  const first = { terminal: { createdAt: 1 } };
  const second = { terminal: { createdAt: 2 } };
  expect(called(first, second, { title: "vim" })).toEqual(["project", "project #2", "vim"]);
  expect(called(second, first)).toEqual(["project #2", "project"]);
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
