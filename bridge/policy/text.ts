// Owns judging shell text: the floor on the raw text, then the parse. Walking is walk.ts's.

import { forEachChild, parse, type ParsedScript, type SyntaxNode, type Word } from "unbash";
import { escapeBraces } from "./braces.ts";
import { oddities } from "./characters.ts";
import { blockedPatterns, blockedWord, dangerousPatterns } from "./floor.ts";
import { gather } from "./gather.ts";
import { type Comment, readPortably } from "./portable.ts";
import { hasOddEnd, hasQuoteInBraces, withoutComments } from "./readings.ts";
import type { Run } from "./run.ts";
import { walk } from "./walk.ts";

/** Nobody types more; a script belongs in a file. */
const MAX_LENGTH = 64 * 1024;

/**
 * The parser (unbash 6.0.3) looks for the end of each of these anew: 60,000 of them take it 30 s.
 * The product keeps that under about 80 ms; a line of everyday length may hold hundreds.
 */
const OPENERS = /\{|[$<>]\(|\$\[|<</g;
const OWN_QUOTES = /\$(['"])/g;
/** `ls &> file` with nothing behind it, as the only form that differs. */
const BARE_SHORTHANDS = /^[\w ./-]+&>>? *[\w./-]+ *$/;
const NAMED_REDIRECT = /\{[A-Za-z_]\w*\}[<>]/;
const SUBSTITUTION = /\$\(|`/;
const MAX_OPENERS_TIMES_LENGTH = 4_000_000;

/** Seed 000's patterns, whatever the text is. Seed 004 has none of them: its level does not move. */
export function judgeBlocked(text: string, run: Run): void {
  for (const { why, program } of blockedPatterns(text))
    run.note("blocked", why, { level: "safe", basis: "hint", program });
  if (run.own.isIn(text)) run.ours("a path into pairpty's folders");
}

/** Both seeds' patterns, and characters that nobody sees. */
export function judgeRaw(text: string, run: Run): void {
  for (const { verdict, why } of oddities(text)) run.note(verdict, why);
  judgeBlocked(text, run);
  for (const { why, program } of dangerousPatterns(text, run.lists.dangerous)) {
    run.note("dangerous", why, { level: "dangerous", basis: "hint", program });
  }
  run.match(text);
}

export function judgeText(text: string, run: Run): void {
  judgeRaw(text, run);
  if (text.length > MAX_LENGTH) return notUnderstood(text, "longer than 64 KiB", run);
  if ((text.match(OPENERS)?.length ?? 0) * text.length > MAX_OPENERS_TIMES_LENGTH) {
    return notUnderstood(text, "nested too often", run);
  }
  judgeParsed(text, run);
  judgeOtherwise(text, run);
}

/**
 * What shells do not read alike is at best `unknown`, whatever each reading says: nobody knows which
 * shell it will be. The readings of others are judged besides, for what is worse.
 */
function judgeOtherwise(text: string, run: Run): void {
  const { difference, comments } = readPortably(text, run.isTyped);
  if (difference !== undefined) {
    // Where no word follows the target, both readings name the same programs.
    const level = BARE_SHORTHANDS.test(text) ? "safe" : "unknown";
    run.note("unknown", differently(difference), { level });
  }
  const aside = run.aside();
  // `&>` is a background job and a redirect where bash's shorthand is unknown (dash).
  if (text.includes("&>")) judgeParsed(text.replaceAll("&>", "& >"), aside);
  // `$'…'` and `$"…"` are a dollar and a quoted text where these quotes are unknown (dash).
  if (text.search(OWN_QUOTES) >= 0) judgeParsed(text.replaceAll(OWN_QUOTES, "$1"), aside);
  // In double quotes a `'` of `${x:-'}` is a letter; the parser takes it for a quote.
  if (hasQuoteInBraces(text)) run.note("dangerous", "a quote inside ${…}");
  if (hasOddEnd(text)) run.note("dangerous", "a here-document whose end shells read differently");
  if (NAMED_REDIRECT.test(text)) run.note("unknown", "a redirect that sets a variable");
  if (comments.length > 0) judgeComments(text, comments, run);
  judgeBraces(text, run);
  if (!text.includes("\r")) return;
  // A terminal's Enter is CR, bash's is LF.
  run.note("unknown", "contains a carriage return");
  judgeParsed(text.replaceAll("\r", "\n"), run);
}

/** Interactive zsh has no comments unless asked: their words are arguments, or commands. */
function judgeComments(text: string, comments: readonly Comment[], run: Run): void {
  const reading = withoutComments(text, comments);
  const added = comments.filter(({ isCommand }) => isCommand).length;
  const script = parsed(reading);
  const isSame =
    script !== undefined &&
    (script.errors?.length ?? 0) === 0 &&
    countCommands(script) === countCommands(parsed(text)) + added &&
    readPortably(reading, run.isTyped).difference === undefined;
  if (isSame) return judgeParsed(reading, run);
  run.note("unknown", differently("# (not a comment in every zsh)"));
  judgeParsed(reading, run.aside());
}

/** Where there is no brace expansion (dash), `{a,b}` is one word of these letters. */
function judgeBraces(text: string, run: Run): void {
  const script = text.includes("{") ? parsed(text) : undefined;
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

function differently(form: string): string {
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
  const script = parsed(text);
  if (script === undefined) return notUnderstood(text, "not valid shell syntax", run);
  if (script.errors !== undefined && script.errors.length > 0) {
    notUnderstood(text, `not valid shell syntax: ${script.errors[0]?.message ?? ""}`, run);
  }
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(-64)))
    run.note("unknown", "ends in the middle of a line");
  if (script.commands.length === 0) run.note("unknown", "contains no command");
  try {
    gather(script, run.scope, text);
    judgeBuilt(text, run);
    walk(script, run);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    notUnderstood(text, "nested too deep", run);
  }
}

/** `x='$'; x+='(rm y)'`: prompts, arithmetic and `${x@P}` expand a value again. */
function judgeBuilt(text: string, run: Run): void {
  for (const built of run.scope.takeFresh())
    if (SUBSTITUTION.test(built) && !text.includes(built)) judgeBlocked(built, run);
}

function parsed(text: string): ParsedScript | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Never allowed silently: whoever cannot read a line asks about it. What may be no shell text at all may fail. */
function notUnderstood(text: string, why: string, run: Run): void {
  if (run.certain) run.note("dangerous", why);
  const word = blockedWord(text);
  if (word !== undefined) run.word(word, `contains ${word} in text that is ${why}`);
}
