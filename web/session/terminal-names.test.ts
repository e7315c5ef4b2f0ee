import { expect, test } from "vitest";
import { compact } from "../../protocol/compact.ts";
import type { Terminal } from "../../protocol/terminal.ts";
import {
  formatTerminalEnd,
  formatShortTerminalEnd,
  formatHandover,
  nameTerminals,
  formatName,
} from "./terminal-names.ts";

const shell: Terminal = {
  id: "pty-abcdef",
  cwd: "/home/me/project",
  owner: "user",
  visible: true,
  createdAt: 0,
};

/** Returns the tabs' labels, in the order given. */
function called(...tabs: { terminal?: Partial<Terminal>; ended?: "gone" }[]): string[] {
  const all = tabs.map(({ terminal = {}, ended }, at) => ({
    terminal: { ...shell, id: `pty-${at}`, createdAt: at, ...terminal },
    ...compact({ ended }),
  }));
  const names = nameTerminals(all);
  return all.map(({ terminal }) => formatName(names.get(terminal.id)));
}

test("W10 a tab is called as its program says, else by its command, else by its folder", () => {
  expect(called({})).toEqual(["project"]);
  expect(called({ terminal: { cwd: "/" } })).toEqual(["/"]);
  expect(called({ terminal: { command: ["npm", "run", "dev"] } })).toEqual(["npm run dev"]);
  expect(called({ terminal: { command: ["/bin/bash", "-l"] } })).toEqual(["bash -l"]);
  expect(called({ terminal: { command: ["vim"], title: "notes.md" } })).toEqual(["notes.md"]);
  expect(called({ terminal: { title: "" } })).toEqual(["project"]);
});

test("GR37 no two tabs show one number: the latest has it, a running one before all", () => {
  const numbers = (...tabs: (Partial<Terminal> & { ended?: "gone" })[]) => {
    const all = tabs.map(({ ended, ...terminal }, at) => ({
      terminal: { ...shell, id: `pty-${at}`, number: 2, createdAt: at, ...terminal },
      ...compact({ ended }),
    }));
    const names = nameTerminals(all);
    return all.map(({ terminal }) => names.get(terminal.id)?.number);
  };
  const ended = "gone" as const;
  expect(numbers({ ended }, { ended }, { ended })).toEqual([undefined, undefined, 2]);
  expect(numbers({ ended }, { createdAt: 1 }, { ended, createdAt: 2 })).toEqual([
    undefined,
    2,
    undefined,
  ]);
});

test("W92 one name twice is told apart by the terminals' own numbers, wherever they stand", () => {
  const third = { terminal: { number: 3 } };
  const fifth = { terminal: { number: 5 } };
  expect(called(third, fifth, { terminal: { title: "vim" } })).toEqual([
    "project #3",
    "project #5",
    "vim",
  ]);
  expect(called(fifth, third)).toEqual(["project #5", "project #3"]);
  expect(called(fifth)).toEqual(["project"]);
});

test("W91 what has ended, on some pages only, changes no other's name and gives up its number", () => {
  const over = { terminal: { number: 3 }, ended: "gone" as const };
  expect(called(over, { terminal: { number: 5 } })).toEqual(["project #3", "project"]);
  const names = nameTerminals([
    { terminal: { ...shell, id: "pty-old", number: 3 }, ended: "gone" },
    { terminal: { ...shell, id: "pty-new", number: 3 } },
  ]);
  expect(names.get("pty-old")).toEqual({ text: "project", number: undefined, shared: true });
  expect(names.get("pty-new")?.number).toBe(3);
});

test("W5 an exit says its code or its signal", () => {
  expect(formatTerminalEnd({ exitCode: 0, signal: null })).toBe("exited with 0");
  expect(formatTerminalEnd({ exitCode: null, signal: "SIGKILL" })).toBe("killed by SIGKILL");
  expect(formatTerminalEnd("gone")).toBe("ended");
  expect(formatShortTerminalEnd({ exitCode: 127, signal: null })).toBe("exit 127");
  expect(formatShortTerminalEnd({ exitCode: null, signal: "SIGKILL" })).toBe("SIGKILL");
});

test("W41 what someone closed is called closed", () => {
  expect(formatTerminalEnd({ exitCode: null, signal: "SIGHUP", onPurpose: true })).toBe("closed");
});

test("W43 a terminal that an agent hands over is announced, by whose it was", () => {
  const name = { text: "npm run dev", number: 3, shared: false };
  expect(formatHandover({ ...shell, startedBy: "claude\n" }, name)).toBe(
    "claude handed over a terminal: npm run dev",
  );
  expect(formatHandover(shell, name)).toBe("An agent handed over a terminal: npm run dev");
});
