// A program with its words, or a line for a shell.

import { expect, test } from "vitest";
import { argvOf, commandText, lineOf } from "./words.ts";

test.each([
  ["ls", [], ["ls"]],
  ["./build.sh", [], ["./build.sh"]],
  ["g++", [], ["g++"]],
  ["npm install", [], ["/bin/sh", "-c", "npm install"]],
  ["ls;pwd", [], ["/bin/sh", "-c", "ls;pwd"]],
  ["$EDITOR", [], ["/bin/sh", "-c", "$EDITOR"]],
  ["A=b", [], ["/bin/sh", "-c", "A=b"]],
  ["ls*", [], ["/bin/sh", "-c", "ls*"]],
  ["echo", ["a b", "$HOME", "'"], ["echo", "a b", "$HOME", "'"]],
  ["my program", ["x"], ["my program", "x"]],
  ["", [], ["/bin/sh", "-c", ""]],
])("Y51 %j with %j runs %j", (command, args, argv) => {
  expect(argvOf(commandText(command, args))).toEqual(argv);
});

test("Y51 words are shown as a line that means the same", () => {
  expect(lineOf(commandText("echo", ["a b", "it's", "$X", ""]))).toBe(
    String.raw`echo 'a b' 'it'\''s' '$X' ''`,
  );
});
