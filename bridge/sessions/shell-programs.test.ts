import { expect, test } from "vitest";
import { isSurelyComplete } from "../policy/command-form.ts";
import type { SentLine } from "./pending-line.ts";
import {
  findReader,
  mentionsShell,
  takesCommands,
  takesCommandsByLine,
  findReadings,
  isAnythingSent,
  MAX_READINGS,
} from "./shell-programs.ts";

const program = (line: string, path = "") => ({ pid: 1, path, argv: line.split(" ") });

test("Y22 a shell that someone sits at takes commands; one that runs a line or a file does not", () => {
  const shells = [
    "bash",
    "-zsh",
    "bash -i",
    "sh -s",
    "bash --norc",
    "bash --rcfile f -i",
    "dash -",
  ];
  for (const line of shells) expect(takesCommands(program(line)), line).toBe(true);
  const tasks = ["sh -c ls", "bash -lc ls", "bash file", "sh ./x.sh", "bash -x x.sh", "bash -- x"];
  for (const line of tasks) expect(takesCommands(program(line)), line).toBe(false);
  expect(takesCommands(program("sh", "/usr/bin/dash"))).toBe(true);
  expect(takesCommands(program("python3 bash", "/usr/bin/python3"))).toBe(false);
});

test("Y22 Y105 what leads to a shell takes commands", () => {
  for (const line of ["ssh host", "docker exec -it x sh", "tmux", "sudo -i", "sudo bash", "su -"]) {
    expect(takesCommands(program(line)), line).toBe(true);
  }
  expect(takesCommands(program("sudo apt install x"))).toBe(false);
  expect(takesCommandsByLine(" bash --norc ")).toBe(true);
  expect(takesCommandsByLine("npm run dev")).toBe(false);
  expect(mentionsShell("sleep 1; exec /bin/bash")).toBe(true);
  expect(mentionsShell("git push && npm test")).toBe(false);
});

test("Y28 Y105 who reads what is typed follows from the foreground and what waits behind it", () => {
  const reader = (front: string[], behind: string[], command: string, isWaiting = true) =>
    findReader(
      {
        group: 1,
        front: front.map((line) => ({ ...program(line), isWaiting })),
        behind: behind.map((line) => program(line)),
        cwd: "/",
      },
      command,
    );
  expect(reader(["bash"], [], "bash")).toBe("prompt");
  expect(reader(["bash"], [], "bash", false)).toBe("busy");
  // Without job control a program runs in the group of its shell.
  expect(reader(["bash", "head -c5"], [], "bash")).toBe("busy");
  expect(reader([], [], "cat")).toBe("busy");
  expect(reader(["sh -c x", "ssh host"], [], "ssh host; x")).toBe("elsewhere");
  expect(reader(["sh -c npm", "npm init"], [], "npm init")).toBe("other");
  for (const line of ["python3", "less x", "vim x", "sleep 5", "cat"]) {
    expect(reader([line], ["bash"], "bash"), line).toBe("behind");
  }
  expect(reader(["sleep 5"], [], "sleep 5; bash")).toBe("behind");
});

const known = (text: string): SentLine => ({ kind: "known", text });
const unknown = (typed: string): SentLine => ({ kind: "unknown", typed, why: "reader" });
const find = (...sent: SentLine[]) => {
  const text = sent.map((line) => (line.kind === "known" ? line.text : line.typed)).join("\n");
  return findReadings({ sent, text, isCut: false }, { isSurelyComplete });
};

test("Y100 a known line has one reading; one that is not known has every end part of it, too", () => {
  expect(isAnythingSent([])).toBe(false);
  expect(isAnythingSent([known(""), known(" ")])).toBe(false);
  // An Enter alone may run what another caller has typed.
  expect(isAnythingSent([unknown("")])).toBe(true);
  expect(find(known("cd a"), known("ls"))).toEqual({
    typed: "cd a\nls",
    alternatives: [],
    isCut: false,
  });
  expect(find(unknown("qrm x")).alternatives).toEqual(["rm x", "m x", " x", "x"]);
  expect(find(unknown("echo '\nls '; rm x")).alternatives).toContain(" rm x");
});

test("Y100 a line with more readings than are judged is cut", () => {
  expect(find(unknown("x".repeat(MAX_READINGS - 1))).isCut).toBe(false);
  const long = find(unknown(`${"j".repeat(MAX_READINGS)}qrm x`));
  expect(long.isCut).toBe(true);
  expect(long.alternatives.length).toBeLessThanOrEqual(MAX_READINGS);
});
