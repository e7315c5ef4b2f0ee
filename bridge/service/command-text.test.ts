// Separate words for a program, or a line for a shell.

import { expect, test } from "vitest";
import { parseCommandText, formatLine, toSpawnFields } from "./command-text.ts";

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
