// Owns judging shell text: patterns over the raw text, then the parsed script. Does not walk the
// script: walk-script.ts does. Also owns finding text that shells read differently, in one pass
// each: a regular expression that restarts at every quote or here-document takes minutes for 64 KiB
// of them, and blocks the bridge meanwhile.

import type { ParsedScript, SyntaxNode, Word } from "unbash";
import { forEachChild, parse } from "unbash";
import { escapeBraces } from "./brace-expansion.ts";
import { gatherAssignments } from "./gather-assignments.ts";
import type { Comment } from "./portable-reader.ts";
import { readPortably } from "./portable-reader.ts";
import type { Run } from "./rule.ts";
import {
  blockedPatterns,
  findBlockedWord,
  dangerousPatterns,
  findUnusualCharacters,
} from "./text-patterns.ts";
import { walkScript } from "./walk-script.ts";

/** Longer text is not typed; a script belongs in a file. */
const MAX_LENGTH = 64 * 1024;

/**
 * The parser (unbash 6.0.3) searches the end of each of these from its start: 60,000 of them take 30 s.
 * The product keeps that below about 80 ms; a line of everyday length may contain hundreds.
 */
const OPENERS = /\{|[$<>]\(|\$\[|<</g;
const OWN_QUOTES = /\$(['"])/g;
/** `ls &> file` without anything after it, where this is the only difference between shells. */
const BARE_SHORTHANDS = /^[\w ./-]+&>>? *[\w./-]+ *$/;
const NAMED_REDIRECT = /\{[A-Za-z_]\w*\}[<>]/;
const SUBSTITUTION = /\$\(|`/;
const MAX_OPENERS_TIMES_LENGTH = 4_000_000;

/** Judges a text by the patterns that are always blocked; they do not change the level. */
export function judgeBlocked(text: string, run: Run): void {
  for (const { why, program } of blockedPatterns(text))
    run.note("blocked", why, { level: "safe", basis: "hint", program });
  if (run.own.isNamedIn(text)) run.noteOwn("a path into pairpty's folders");
}

/** Judges a text by all patterns, and by its invisible characters. */
export function judgeRaw(text: string, run: Run): void {
  for (const { verdict, why } of findUnusualCharacters(text)) run.note(verdict, why);
  judgeBlocked(text, run);
  for (const { why, program } of dangerousPatterns(text, run.lists.dangerous)) {
    run.note("dangerous", why, { level: "dangerous", basis: "hint", program });
  }
  run.notePatterns(text);
}

export function judgeScriptText(text: string, run: Run): void {
  judgeRaw(text, run);
  if (text.length > MAX_LENGTH) return noteUnparsable(text, "longer than 64 KiB", run);
  if ((text.match(OPENERS)?.length ?? 0) * text.length > MAX_OPENERS_TIMES_LENGTH) {
    return noteUnparsable(text, "nested too often", run);
  }
  judgeParsed(text, run);
  judgeOtherReadings(text, run);
}

/**
 * Judges how other shells would read the text. A difference makes it `unknown` at best, since it is not
 * known which shell will run it; the other readings are judged for anything worse.
 */
function judgeOtherReadings(text: string, run: Run): void {
  const { difference, comments } = readPortably(text, run.isTyped);
  if (difference !== undefined) {
    // If no word follows the target, all shells run the same programs.
    const level = BARE_SHORTHANDS.test(text) ? "safe" : "unknown";
    run.note("unknown", formatDifference(difference), { level });
  }
  const aside = run.asPossible();
  // In shells without `&>` (dash) it is a background job and a redirect.
  if (text.includes("&>")) judgeParsed(text.replaceAll("&>", "& >"), aside);
  // In shells without `$'…'` and `$"…"` (dash) they are a dollar sign and a quoted text.
  if (text.search(OWN_QUOTES) >= 0) judgeParsed(text.replaceAll(OWN_QUOTES, "$1"), aside);
  // In double quotes the `'` of `${x:-'}` is a plain character; the parser takes it for a quote.
  if (hasQuoteInBraces(text)) run.note("dangerous", "a quote inside ${…}");
  if (hasUnportableDelimiter(text))
    run.note("dangerous", "a here-document whose end shells read differently");
  if (NAMED_REDIRECT.test(text)) run.note("unknown", "a redirect that sets a variable");
  if (comments.length > 0) judgeComments(text, comments, run);
  judgeBraces(text, run);
  if (!text.includes("\r")) return;
  // A terminal sends CR for Enter; bash ends a line at LF.
  run.note("unknown", "contains a carriage return");
  judgeParsed(text.replaceAll("\r", "\n"), run);
}

/** Judges comments as words: interactive zsh has no comments by default. */
function judgeComments(text: string, comments: readonly Comment[], run: Run): void {
  const reading = readCommentsAsWords(text, comments);
  const added = comments.filter(({ isCommand }) => isCommand).length;
  const script = tryParse(reading);
  const isSame =
    script !== undefined &&
    (script.errors?.length ?? 0) === 0 &&
    countCommands(script) === countCommands(tryParse(text)) + added &&
    readPortably(reading, run.isTyped).difference === undefined;
  if (isSame) return judgeParsed(reading, run);
  run.note("unknown", formatDifference("# (not a comment in every zsh)"));
  judgeParsed(reading, run.asPossible());
}

/** Judges braces as shells without brace expansion (dash) read them: `{a,b}` is one word. */
function judgeBraces(text: string, run: Run): void {
  const script = text.includes("{") ? tryParse(text) : undefined;
  if (script === undefined || (script.errors?.length ?? 0) > 0) return;
  const words: Word[] = [];
  const visit = (node: SyntaxNode): void => {
    const isExpanded =
      node.type === "Word" && node.parts?.some(({ type }) => type === "BraceExpansion") === true;
    if (isExpanded) words.push(node);
    else forEachChild(node, visit);
  };
  visit(script);
  if (words.length === 0) return;
  let reading = "";
  let from = 0;
  for (const { pos, end } of words) {
    reading += text.slice(from, pos) + escapeBraces(text.slice(pos, end));
    from = end;
  }
  judgeParsed(reading + text.slice(from), run);
}

function formatDifference(form: string): string {
  return `shells read this line differently: ${form}`;
}

function countCommands(script: ParsedScript | undefined): number {
  let count = 0;
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") count++;
    forEachChild(node, visit);
  };
  if (script !== undefined) visit(script);
  return count;
}

function judgeParsed(text: string, run: Run): void {
  const script = tryParse(text);
  if (script === undefined) return noteUnparsable(text, "not valid shell syntax", run);
  if (script.errors !== undefined && script.errors.length > 0) {
    noteUnparsable(text, `not valid shell syntax: ${script.errors[0]?.message ?? ""}`, run);
  }
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(-64)))
    run.note("unknown", "ends in the middle of a line");
  if (script.commands.length === 0) run.note("unknown", "contains no command");
  try {
    gatherAssignments(script, run.scope, text);
    judgeBuiltValues(text, run);
    walkScript(script, run);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    noteUnparsable(text, "nested too deep", run);
  }
}

/** Judges values that the script built (`x='$'; x+='(rm y)'`): prompts and `${x@P}` expand them again. */
function judgeBuiltValues(text: string, run: Run): void {
  for (const built of run.scope.takeNewTexts())
    if (SUBSTITUTION.test(built) && !text.includes(built)) judgeBlocked(built, run);
}

function tryParse(text: string): ParsedScript | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Adds a finding for text that cannot be parsed, so that it never runs without a question. What only
 * might be shell text adds none, unless it contains a blocked name.
 */
function noteUnparsable(text: string, why: string, run: Run): void {
  if (run.isCertain) run.note("dangerous", why);
  const word = findBlockedWord(text);
  if (word !== undefined) run.noteBlockedWord(word, `contains ${word} in text that is ${why}`);
}

/** Whether a `'` stands in an open `${…` after a `"`. */
export function hasQuoteInBraces(text: string): boolean {
  const from = text.indexOf('"');
  if (from < 0) return false;
  let isOpen = false;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "}") isOpen = false;
    else if (char === "'" && isOpen) return true;
    else if (char === "{" && text[at - 1] === "$" && at - 1 > from) isOpen = true;
  }
  return false;
}

/** Whether the word that names the end of a here-document (`<<`, `<<-`) contains `$'` or `$"`. */
export function hasUnportableDelimiter(text: string): boolean {
  let before = "";
  for (const [word] of text.matchAll(/\S+/g)) {
    const quote = Math.max(word.lastIndexOf("$'"), word.lastIndexOf('$"'));
    const opener = word.indexOf("<<");
    const isOwn = opener >= 0 && opener + 2 <= quote;
    const isNext = quote >= 0 && (before.endsWith("<<") || before.endsWith("<<-"));
    if (isOwn || isNext) return true;
    before = word;
  }
  return false;
}

/** Returns the text as a shell without comments reads it: `#` is a program or an argument. */
function readCommentsAsWords(text: string, comments: readonly Comment[]): string {
  let reading = "";
  let from = 0;
  for (const { at, end, isCommand } of comments) {
    const words = text.slice(at + 1, end).replaceAll(/([\s;&|()])#/g, "$1\\#");
    // No program is called `#`, so `echo` stands for it.
    reading += `${text.slice(from, at)}${isCommand ? "echo " : ""}\\#${words}`;
    from = end;
  }
  return reading + text.slice(from);
}
