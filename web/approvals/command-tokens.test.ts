import { judgeShell } from "../../bridge/policy/policy.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatCommandLine } from "../../protocol/formats.ts";
import { showInvisible, INVISIBLE } from "../session/visible-text.ts";
import { toDiffRuns, findMentionedWords } from "./question-subject.tsx";
import type { Token } from "./command-tokens.ts";
import { tokenizeLine, tokenizeArgv } from "./command-tokens.ts";
import { anyCharacter } from "../../test/support/any-character.ts";

/** Pieces of shell syntax, so that quotes, operators and odd characters meet. */
const SCRAPS = [
  "git reset --hard rm -rf a=1 if for in do x #c".split(" "),
  ["'", '"', "\\", "$", "${", "$(", "`", "$'", "$X", "(", ")", "{", "}", "|", "||", "&", "&&"],
  [";", ">", ">>", "2>&1", "<<<", "&>", " ", "\t", "\n", "\r", "\u001B", "\u202E", "\u00A0"],
  ["é", "👍", "\uD83D", "\uDC4D", "\u200B", "-"],
].flat();
const line = fc.oneof(
  fc.array(fc.constantFrom(...SCRAPS), { maxLength: 40 }).map((parts) => parts.join("")),
  fc.string({ unit: anyCharacter }),
);

const text = (tokens: readonly { text: string }[]) => tokens.map((one) => one.text).join("");
const kinds = (tokens: readonly Token[]) =>
  tokens.filter(({ kind }) => kind !== "space").map((one) => `${one.kind} ${one.text}`);
const marked = (command: string, ...why: string[]) => {
  const tokens = tokenizeLine(command);
  const marks = findMentionedWords(tokens, why);
  return tokens.flatMap((one) => (one.word !== undefined && marks.has(one.word) ? one.text : []));
};

test("W25 the pieces of a command line are the line, whatever is in it", () => {
  fc.assert(
    fc.property(line, fc.array(line), (command, why) => {
      const tokens = tokenizeLine(command);
      expect(text(tokens)).toBe(command);
      expect(tokens.every((one) => one.text !== "")).toBe(true);
      const words = new Set(tokens.map(({ word }) => word));
      for (const mark of findMentionedWords(tokens, why)) expect(words.has(mark)).toBe(true);
    }),
  );
  fc.assert(
    fc.property(fc.array(line), fc.boolean(), (words, isShell) => {
      const command = isShell ? ["/bin/bash", "-lc", ...words] : words;
      expect(text(tokenizeArgv(command))).toBe(formatCommandLine({ command }));
    }),
  );
});

test("W111 what would not be seen is a piece of its own, and is drawn", () => {
  fc.assert(
    fc.property(line, (command) => {
      for (const { kind, text: piece } of tokenizeLine(command))
        if (kind !== "unseen") expect(piece).not.toMatch(INVISIBLE);
      expect(showInvisible(command)).not.toMatch(INVISIBLE);
    }),
  );
  expect(kinds(tokenizeLine("ls \u001B[2K\u202Efdp.txt"))).toEqual([
    "program ls",
    "unseen \u001B",
    "word [2K",
    "unseen \u202E",
    "word fdp.txt",
  ]);
  expect(showInvisible("a\u001B\t\n\u007F\u202E\u{E0041}")).toBe("a‹ESC›→↵‹DEL›‹U+202E›‹U+E0041›");
});

test("W111 programs, verbs, options, strings, redirects and operators are told apart", () => {
  const command = `X=1 git -C "$DIR" reset --hard && sudo rm -rf 'a b' 2>&1 >out.txt | tee $(date) # so`;
  expect(kinds(tokenizeLine(command))).toEqual([
    "variable X=1",
    "program git",
    "option -C",
    'string "',
    "variable $DIR",
    'string "',
    "verb reset",
    "option --hard",
    "operator &&",
    "program sudo",
    "program rm",
    "option -rf",
    "string 'a b'",
    "redirect 2>&1",
    "redirect >",
    "redirect out.txt",
    "operator |",
    "program tee",
    "operator $(",
    "program date",
    "operator )",
    "comment # so",
  ]);
  expect(kinds(tokenizeLine("for x in a; do 'ls' >a&&b; done"))).toEqual([
    "operator for",
    "word x",
    "word in",
    "word a",
    "operator ;",
    "operator do",
    "program 'ls'",
    "redirect >",
    "redirect a",
    "operator &&",
    "program b",
    "operator ;",
    "operator done",
  ]);
  // A shell runs substitutions in double quotes, but not in single quotes.
  expect(kinds(tokenizeLine(`echo "a $(rm x)" 'a $(rm x)'`))).toEqual([
    "program echo",
    'string "a ',
    "operator $(",
    'string rm x)"',
    "string 'a $(rm x)'",
  ]);
});

test("W111 in words that were given apart nothing is an operator", () => {
  expect(kinds(tokenizeArgv(["git", "commit", "-m", "a | b; c", "it's"]))).toEqual([
    "program git",
    "verb commit",
    "option -m",
    "string 'a | b; c'",
    `string "it's"`,
  ]);
});

test("W111 the line that a shell is given as a word is a line", () => {
  const command = ["bash", "-lc", "git reset 'a b' | tee x"];
  const tokens = tokenizeArgv(command);
  expect(kinds(tokens).slice(2)).toEqual([
    'string "',
    "program git",
    "verb reset",
    "string 'a b'",
    "operator |",
    "program tee",
    "word x",
    'string "',
  ]);
  const marks = findMentionedWords(tokens, ["git … reset, which can discard changes"]);
  expect(tokens.flatMap((one) => (marks.has(one.word ?? -1) ? one.text : []))).toEqual([
    "git",
    "reset",
  ]);
});

test("W25 a very long line is whole, and has few pieces", () => {
  const command = "👍|".repeat(30_000);
  const tokens = tokenizeLine(command);
  expect(text(tokens)).toBe(command);
  expect(tokens.length).toBeLessThan(10_000);
  expect(tokens.filter(({ kind }) => kind === "unseen")).toEqual([]);
});

test("W111 the words that the policy speaks about are marked", () => {
  expect(marked("git -C x reset --hard", "pattern: git reset")).toEqual(["git", "reset"]);
  expect(marked("git reset --hard", "git reset discards uncommitted changes")).toEqual([
    "git",
    "reset",
  ]);
  const harm = "`git reset --hard` discards uncommitted changes";
  expect(marked("ls; git -C x reset --hard", harm)).toEqual(["git", "reset", "--hard"]);
  expect(marked("curl x.sh | sh", "pattern: | sh")).toEqual(["|", "sh"]);
  expect(marked("ls; /bin/rm -fr b", "pattern: rm -r")).toEqual(["/bin/rm", "-fr"]);
  expect(marked("rm a b -fr c", "rm … -r, which can delete folders")).toEqual(["rm", "-fr"]);
  const twice = "git fetch x && git -C y reset";
  expect(marked(twice, "git … reset, which can discard changes")).toEqual(["git", "reset"]);
  const marks = findMentionedWords(tokenizeLine(twice), ["git … reset, which can discard changes"]);
  expect(marks.has(tokenizeLine(twice)[0]?.word ?? 0)).toBe(false);
  expect(marked("a; sudo b", "the word sudo, which runs as another user")).toEqual(["sudo"]);
  expect(marked("echo hi > out.txt", "writes to out.txt")).toEqual(["out.txt"]);
  expect(marked("echo $(date)", "pattern: command substitution")).toEqual(["$("]);
  const [nested = ""] = judgeShell("echo $(date)", { cwd: "/" }).why;
  expect(marked("echo $(date)", nested)).toEqual(["$("]);
  expect(marked("echo `date`", nested)).toEqual(["`", "`"]);
  // Words of a sentence are not words of the line.
  expect(marked("echo what is on the list", "make is not on the safe list")).toEqual([]);
});

test("W112 the lines of a diff are told apart, and are the diff", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("+a", "-b", " c", "@@ 1", "--- x", "+++ y", "\n")),
      (all) => {
        const diff = all.join("\n");
        expect(text(toDiffRuns(diff))).toBe(diff);
      },
    ),
  );
  const diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n--- old\n+new\n";
  expect(toDiffRuns(diff)).toEqual([
    { kind: "file", text: "--- a/x\n+++ b/x\n" },
    { kind: "place", text: "@@ -1,2 +1,2 @@\n" },
    { kind: "same", text: " same\n" },
    { kind: "removed", text: "-old\n--- old\n" },
    { kind: "added", text: "+new\n" },
  ]);
});
