// Commands of coding agents, when a second approval is skipped, and the options of an answer.

import { expect, test } from "vitest";
import {
  findCommand,
  parseCommand,
  isSameCommand,
  MAX_COMMAND_BYTES,
  MAX_WORDS,
  assertCommandFits,
  areVariablesHarmless,
  AllowedCommands,
  ALLOWED_MS,
} from "./agent-command.ts";
import { formatDiff, MAX_DIFF_CHARS } from "./content-format.ts";
import { findOption } from "./permission-requests.ts";

test("AC3 what is a program and what is a line", () => {
  expect(parseCommand("npm")).toEqual({ command: ["npm"] });
  expect(parseCommand("./run.sh")).toEqual({ command: ["./run.sh"] });
  expect(parseCommand("npm", ["test"])).toEqual({ command: ["npm", "test"] });
  expect(parseCommand("npm test", ["a b"])).toEqual({ command: ["npm test", "a b"] });
  for (const line of ["npm test", "a;b", "$X", "~/x", "A=1", "a*", "echo\thi", "a\n", "'a'"]) {
    expect(parseCommand(line)).toEqual({ line });
  }
});

test("AC5 the very same command, in the same folder, once, for a minute", () => {
  let now = 0;
  const spared = new AllowedCommands(() => now);
  const expected = findCommand({ command: "npm test", description: "x" })?.command;
  if (expected === undefined) throw new Error("it names a command");
  spared.allow(expected, "/srv/shop");
  expect(spared.take(parseCommand("npm test "), "/srv/shop")).toBe(false);
  expect(spared.take(parseCommand("npm", ["test"]), "/srv/shop")).toBe(false);
  expect(spared.take(parseCommand("npm test"), "/srv/shop/sub")).toBe(false);
  expect(spared.take(parseCommand("npm test"), "/srv/shop")).toBe(true);
  expect(spared.take(parseCommand("npm test"), "/srv/shop")).toBe(false);
  spared.allow(expected, "/srv/shop");
  now = ALLOWED_MS;
  expect(spared.take(parseCommand("npm test"), "/srv/shop")).toBe(false);
});

test("AC88 variables that a command may read are asked about, whatever was allowed without them", () => {
  const line = (text: string) => parseCommand(text);
  expect(areVariablesHarmless({}, line("rm -rf $T"))).toBe(true);
  const usual = { CI: "1", TERM: "xterm-256color", LC_ALL: "C.UTF-8", COLUMNS: "80" };
  expect(areVariablesHarmless(usual, line("npm test"))).toBe(true);
  expect(areVariablesHarmless(usual, parseCommand("npm", ["test"]))).toBe(true);
  for (const added of [
    { T: "important" },
    { CI: "important" },
    { LC_ALL: "../x" },
    { CI: "1\n" },
  ]) {
    expect(areVariablesHarmless(added, line("make clean"))).toBe(false);
    expect(areVariablesHarmless({ ...usual, ...added }, line("make clean"))).toBe(false);
  }
  for (const text of ["rm -rf $CI", "rm -rf ${CI}", 'eval "rm \\$CI"']) {
    expect(areVariablesHarmless({ CI: "1" }, line(text)), text).toBe(false);
  }
  expect(areVariablesHarmless({ CI: "1" }, parseCommand("sh", ["-c", "rm $CI"]))).toBe(false);
});

test("AC5 the command in what an agent says that it will do", () => {
  const words = findCommand({ command: ["bash", "-lc", "ls"], cwd: "/x" });
  expect(words).toEqual({ command: { command: ["bash", "-lc", "ls"] }, cwd: "/x" });
  expect(isSameCommand(words?.command ?? { line: "" }, parseCommand("bash", ["-lc", "ls"]))).toBe(
    true,
  );
  for (const none of [
    undefined,
    null,
    "ls",
    {},
    { command: "" },
    { command: [] },
    { command: 3 },
  ]) {
    expect(findCommand(none)).toBeUndefined();
  }
});

test("AC25 what is too long is refused, as words, as variables and as a line", () => {
  const words = (count: number) => Array.from({ length: count }, () => "a");
  assertCommandFits("a", words(MAX_WORDS - 2), ["A=1"]);
  expect(() => assertCommandFits("a", words(MAX_WORDS - 1), ["A=1"])).toThrow(
    /4097 words and variables/,
  );
  assertCommandFits("x".repeat(MAX_COMMAND_BYTES));
  expect(() => assertCommandFits("x".repeat(MAX_COMMAND_BYTES), ["y"])).toThrow(
    /bytes; the limit is 106496/,
  );
  expect(() => assertCommandFits("€".repeat(MAX_COMMAND_BYTES / 2))).toThrow(/bytes/);
  expect(() => findCommand({ command: words(200_000) })).toThrow(/200001 words/);
  expect(() => findCommand({ command: "a", args: words(200_000) })).toThrow(/words/);
  expect(() => findCommand({ command: "x".repeat(MAX_COMMAND_BYTES + 1) })).toThrow(/bytes/);
});

test("AC6 AC89 an answer becomes the option that says just that, once where it can", () => {
  const option = (optionId: string, kind: string) => ({ optionId, name: "", kind });
  const all = [
    option("aa", "allow_always"),
    option("ao", "allow_once"),
    option("ra", "reject_always"),
    option("ro", "reject_once"),
  ];
  expect([findOption("allowed", all), findOption("denied", all)]).toEqual(["ao", "ro"]);
  expect(findOption("allowed", [option("aa", "allow_always")])).toBe("aa");
  expect(findOption("denied", [option("aa", "allow_always")])).toBeUndefined();
});

test("AC91 a difference shows what changes, and says how much of it is not shown", () => {
  expect(formatDiff("/f", undefined, "a\nb\n").text).toBe(
    "--- /dev/null\n+++ /f\n@@ -0,0 +1,2 @@\n+a\n+b",
  );
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const { text, omittedLines } = formatDiff("/f", before, before.replace("5", "five"));
  expect(text.split("\n").slice(2)).toEqual([
    "@@ -2,7 +2,7 @@",
    " 2",
    " 3",
    " 4",
    "-5",
    "+five",
    " 6",
    " 7",
    " 8",
  ]);
  expect(omittedLines).toBe(0);
  const long = formatDiff("/f", undefined, "x\n".repeat(MAX_DIFF_CHARS));
  expect(long.text.length).toBeLessThanOrEqual(MAX_DIFF_CHARS);
  expect(long.omittedLines).toBeGreaterThan(0);
});
