// Separate words for a program, or a line for a shell. Splitting compound commands into words.

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  parseCommandText,
  formatLine,
  toSpawnFields,
  parseCompoundCommand,
} from "./service-command.ts";

test("Y55 the documented example gives what it shows", () => {
  const command = 'git add . && git commit -m "test" || echo "failed"';
  expect(parseCompoundCommand(command)).toEqual([
    "git",
    "add",
    ".",
    "git",
    "commit",
    "-m",
    '"test"',
    "echo",
    '"failed"',
  ]);
});

test.each([
  ["a;b|c&&d||e", ["a", "b", "c", "d", "e"]],
  ["a & b\nc |& d", ["a", "b", "c", "d"]],
  ["echo \"a && b\" 'c; d'", ["echo", '"a && b"', "'c; d'"]],
  ["echo a\\ b \\; c", ["echo", "a\\ b", "\\;", "c"]],
  ["echo $(ls | wc -l) `a; b`", ["echo", "$(ls | wc -l)", "`a; b`"]],
  ['echo "$(a "b")" c', ["echo", '"$(a "b")"', "c"]],
  ["make 2>&1 | tee log", ["make", "2>&1", "tee", "log"]],
  ["make &> log", ["make", "&>", "log"]],
  ["  ", []],
  ["", []],
  ["echo 'open", ["echo", "'open"]],
  ["echo $(open", ["echo", "$(open"]],
])("Y55 %j", (command, words) => {
  expect(parseCompoundCommand(command)).toEqual(words);
});

test("Y55 whatever the line, it ends, and every word is in it, in order", () => {
  const parts = ["a", "b c", "'", '"', "`", "$(", ")", "\\", "&&", "||", ";", "|", "&", ">", "\n"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 30 }), (pieces) => {
      const line = pieces.join("");
      let at = 0;
      for (const word of parseCompoundCommand(line)) {
        expect(word).not.toBe("");
        const found = line.indexOf(word, at);
        expect(found, JSON.stringify(line)).toBeGreaterThanOrEqual(at);
        at = found + word.length;
      }
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["ls", [], ["ls"]],
  ["./build.sh", [], ["./build.sh"]],
  ["g++", [], ["g++"]],
  ["npm install", [], "npm install"],
  ["ls;pwd", [], "ls;pwd"],
  ["$EDITOR", [], "$EDITOR"],
  ["A=b", [], "A=b"],
  ["ls*", [], "ls*"],
  ["echo", ["a b", "$HOME", "'"], ["echo", "a b", "$HOME", "'"]],
  ["my program", ["x"], ["my program", "x"]],
  ["", [], ""],
])("Y51 %j with %j runs %j", (command, args, runs) => {
  const request = typeof runs === "string" ? { line: runs } : { command: runs };
  expect(toSpawnFields(parseCommandText(command, args))).toEqual(request);
});

test("Y51 words are shown as a line that means the same", () => {
  expect(formatLine(parseCommandText("echo", ["a b", "it's", "$X", ""]))).toBe(
    String.raw`echo 'a b' 'it'\''s' '$X' ''`,
  );
});
