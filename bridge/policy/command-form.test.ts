import { expect, test } from "vitest";
import { isSurelyComplete, leavesNothingOpen } from "./command-form.ts";

test("Y101 a line is complete only where no shell waits for more of it", () => {
  const complete = [
    "",
    "ls -la",
    "echo 'a b' \"c\"",
    "a; b && c | d",
    "for i in 1 2; do echo $i; done",
    "(cd a && ls)",
    "echo it\\'s",
    "ls # all of it",
  ];
  for (const line of complete) expect(isSurelyComplete(line), line).toBe(true);
  const open = [
    "echo '",
    'echo "',
    "echo `",
    "echo $(ls",
    "echo \\",
    "cat <<EOF",
    "if true; then ls",
    "while true",
    "ls |",
    "ls && ",
    "{ ls",
    "[[ a",
    "f() {",
    // dash has no such quotes, interactive zsh no comments by default, and in fish `begin` starts a
    // block.
    "echo $'\\''",
    "ls # don't",
    "x".repeat(5_000) + "'a'",
  ];
  for (const line of open) expect(isSurelyComplete(line), line).toBe(false);
});

test("Y101 every end part of a line that opens nothing is complete", () => {
  expect(leavesNothingOpen("git status; ls | wc")).toBe(true);
  for (const line of ["echo 'a'", "(ls)", "time ls", "a |", "x[1]", "repeat 3"]) {
    expect(leavesNothingOpen(line), line).toBe(false);
  }
});
