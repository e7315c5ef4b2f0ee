// Commands of coding agents, when a second approval is skipped, and the options of an answer.

import { expect, test } from "vitest";
import {
  commandIn,
  commandOf,
  isSame,
  MOST_COMMAND_BYTES,
  MOST_WORDS,
  mustFit,
} from "./command.ts";
import { diffOf, MOST_DIFF_CHARS } from "./diff.ts";
import { optionFor } from "./options.ts";
import { changesNothing, Spared, SPARED_MS } from "./spared.ts";

test("AC3 what is a program and what is a line", () => {
  expect(commandOf("npm")).toEqual({ command: ["npm"] });
  expect(commandOf("./run.sh")).toEqual({ command: ["./run.sh"] });
  expect(commandOf("npm", ["test"])).toEqual({ command: ["npm", "test"] });
  expect(commandOf("npm test", ["a b"])).toEqual({ command: ["npm test", "a b"] });
  for (const line of ["npm test", "a;b", "$X", "~/x", "A=1", "a*", "echo\thi", "a\n", "'a'"]) {
    expect(commandOf(line)).toEqual({ line });
  }
});

test("AC5 the very same command, in the same folder, once, for a minute", () => {
  let now = 0;
  const spared = new Spared(() => now);
  const said = commandIn({ command: "npm test", description: "x" })?.command;
  if (said === undefined) throw new Error("it names a command");
  spared.allow(said, "/srv/shop");
  expect(spared.take(commandOf("npm test "), "/srv/shop")).toBe(false);
  expect(spared.take(commandOf("npm", ["test"]), "/srv/shop")).toBe(false);
  expect(spared.take(commandOf("npm test"), "/srv/shop/sub")).toBe(false);
  expect(spared.take(commandOf("npm test"), "/srv/shop")).toBe(true);
  expect(spared.take(commandOf("npm test"), "/srv/shop")).toBe(false);
  spared.allow(said, "/srv/shop");
  now = SPARED_MS;
  expect(spared.take(commandOf("npm test"), "/srv/shop")).toBe(false);
});

test("AC88 variables that a command may read are asked about, whatever was allowed without them", () => {
  const line = (text: string) => commandOf(text);
  expect(changesNothing({}, line("rm -rf $T"))).toBe(true);
  const usual = { CI: "1", TERM: "xterm-256color", LC_ALL: "C.UTF-8", COLUMNS: "80" };
  expect(changesNothing(usual, line("npm test"))).toBe(true);
  expect(changesNothing(usual, commandOf("npm", ["test"]))).toBe(true);
  for (const added of [
    { T: "important" },
    { CI: "important" },
    { LC_ALL: "../x" },
    { CI: "1\n" },
  ]) {
    expect(changesNothing(added, line("make clean"))).toBe(false);
    expect(changesNothing({ ...usual, ...added }, line("make clean"))).toBe(false);
  }
  for (const text of ["rm -rf $CI", "rm -rf ${CI}", 'eval "rm \\$CI"']) {
    expect(changesNothing({ CI: "1" }, line(text)), text).toBe(false);
  }
  expect(changesNothing({ CI: "1" }, commandOf("sh", ["-c", "rm $CI"]))).toBe(false);
});

test("AC5 the command in what an agent says that it will do", () => {
  const words = commandIn({ command: ["bash", "-lc", "ls"], cwd: "/x" });
  expect(words).toEqual({ command: { command: ["bash", "-lc", "ls"] }, cwd: "/x" });
  expect(isSame(words?.command ?? { line: "" }, commandOf("bash", ["-lc", "ls"]))).toBe(true);
  for (const none of [
    undefined,
    null,
    "ls",
    {},
    { command: "" },
    { command: [] },
    { command: 3 },
  ]) {
    expect(commandIn(none)).toBeUndefined();
  }
});

test("AC25 what is too long is refused, as words, as variables and as a line", () => {
  const words = (count: number) => Array.from({ length: count }, () => "a");
  mustFit("a", words(MOST_WORDS - 2), ["A=1"]);
  expect(() => mustFit("a", words(MOST_WORDS - 1), ["A=1"])).toThrow(/4097 words and variables/);
  mustFit("x".repeat(MOST_COMMAND_BYTES));
  expect(() => mustFit("x".repeat(MOST_COMMAND_BYTES), ["y"])).toThrow(
    /bytes; the limit is 106496/,
  );
  expect(() => mustFit("€".repeat(MOST_COMMAND_BYTES / 2))).toThrow(/bytes/);
  expect(() => commandIn({ command: words(200_000) })).toThrow(/200001 words/);
  expect(() => commandIn({ command: "a", args: words(200_000) })).toThrow(/words/);
  expect(() => commandIn({ command: "x".repeat(MOST_COMMAND_BYTES + 1) })).toThrow(/bytes/);
});

test("AC6 AC89 an answer becomes the option that says just that, once where it can", () => {
  const option = (optionId: string, kind: string) => ({ optionId, name: "", kind });
  const all = [
    option("aa", "allow_always"),
    option("ao", "allow_once"),
    option("ra", "reject_always"),
    option("ro", "reject_once"),
  ];
  expect([optionFor("allowed", all), optionFor("denied", all)]).toEqual(["ao", "ro"]);
  expect(optionFor("allowed", [option("aa", "allow_always")])).toBe("aa");
  expect(optionFor("denied", [option("aa", "allow_always")])).toBeUndefined();
});

test("AC91 a difference shows what changes, and says how much of it is not shown", () => {
  expect(diffOf("/f", undefined, "a\nb\n").text).toBe(
    "--- /dev/null\n+++ /f\n@@ -0,0 +1,2 @@\n+a\n+b",
  );
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  const { text, left } = diffOf("/f", before, before.replace("5", "five"));
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
  expect(left).toBe(0);
  const long = diffOf("/f", undefined, "x\n".repeat(MOST_DIFF_CHARS));
  expect(long.text.length).toBeLessThanOrEqual(MOST_DIFF_CHARS);
  expect(long.left).toBeGreaterThan(0);
});
