// Owns drawing what a question is about: a coloured command line, or a file and its changes.
// Everything is drawn as text, and everything is visible. Also owns splitting a unified diff into
// runs of lines for colouring. And which words of a command line the policy's reasons mention, so
// that they can be highlighted.

import type { ComponentChildren, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Approval } from "../../protocol/approval.ts";
import { formatCommandLine } from "../../protocol/formats.ts";
import { showInvisible } from "../session/visible-text.ts";
import { getSubjectLabel } from "./approval-texts.ts";
import type { Token } from "./command-tokens.ts";
import { tokenizeLine, tokenizeArgv } from "./command-tokens.ts";

export function Subject({ approval }: { approval: Approval }) {
  const { kind, diff } = approval;
  const isLine = kind === "command" || kind === "input" || typeof approval.command !== "string";
  return (
    <>
      <Box name={getSubjectLabel(approval)} of={approval}>
        {isLine ? <Line approval={approval} /> : showInvisible(formatCommandLine(approval))}
      </Box>
      {diff !== undefined && (
        <Box name="The changes" of={approval}>
          <Diff text={diff} />
        </Box>
      )}
    </>
  );
}

function Line({ approval: { command, why } }: { approval: Approval }) {
  const tokens = typeof command === "string" ? tokenizeLine(command) : tokenizeArgv(command);
  const marks = findMentionedWords(tokens, why);
  return (
    <>
      {tokens.map((token, at) => (
        <Piece
          key={at}
          token={token}
          isMarked={token.word !== undefined && marks.has(token.word)}
        />
      ))}
    </>
  );
}

function Piece({ token: { kind, text }, isMarked }: { token: Token; isMarked: boolean }) {
  if (kind === "unseen") return <Invisible text={text} />;
  const shown = showInvisible(text);
  if (kind === "space") return shown;
  if (isMarked) return <mark class={`t-${kind}`}>{shown}</mark>;
  return <span class={`t-${kind}`}>{shown}</span>;
}

/** Draws invisible characters: line breaks and tabs also take effect, all others are highlighted. */
function Invisible({ text }: { text: string }) {
  const parts = text.split(/([\n\t])/).filter(Boolean);
  return (
    <>
      {parts.map((part, at) =>
        /[\n\t]/.test(part) ? (
          <span key={at} class="t-end">
            {showInvisible(part) + part}
          </span>
        ) : (
          <span key={at} class="t-unseen">
            {showInvisible(part)}
          </span>
        ),
      )}
    </>
  );
}

function Diff({ text }: { text: string }) {
  return (
    <>
      {toDiffRuns(text).map((run, at) => (
        <span key={at} class={`d-${run.kind}`}>
          {run.text.split("\n").map(showInvisible).join("\n")}
        </span>
      ))}
    </>
  );
}

interface BoxProps {
  name: string;
  of: Approval;
  children: ComponentChildren;
}

/** Draws a box that scrolls if its text does not fit, also by keyboard, and says so. */
function Box({ name, of, children }: BoxProps) {
  const box = useRef<HTMLPreElement>(null);
  const isLong = useOverflow(box, of);
  return (
    <div class="question-box">
      <pre ref={box} role="group" aria-label={name} tabIndex={isLong ? 0 : undefined}>
        {children}
      </pre>
      {isLong && <p class="more">There is more: scroll to read all of it.</p>}
    </div>
  );
}

function useOverflow(box: RefObject<HTMLElement | null>, of: Approval): boolean {
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => setLong(element.scrollHeight > element.clientHeight + 1);
    element.scrollTop = 0;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [of]);
  return isLong;
}

export type DiffKind = "file" | "place" | "added" | "removed" | "same";

export interface DiffRun {
  readonly kind: DiffKind;
  /** Whole lines; all runs together are the diff. */
  readonly text: string;
}

export function toDiffRuns(diff: string): DiffRun[] {
  const runs: DiffRun[] = [];
  let isInside = false;
  for (const line of diff.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const kind = toDiffKind(line, isInside);
    if (kind === "place") isInside = true;
    if (/^(?:diff|Index:) /.test(line)) isInside = false;
    const last = runs.at(-1);
    if (last?.kind === kind) runs[runs.length - 1] = { kind, text: last.text + line };
    else runs.push({ kind, text: line });
  }
  return runs;
}

/** Returns the kind of a line: `---` and `+++` name files only before the first hunk. */
function toDiffKind(line: string, isInside: boolean): DiffKind {
  if (/^(?:diff|Index:) /.test(line)) return "file";
  if (line.startsWith("@@")) return "place";
  if (!isInside && /^(?:---|\+\+\+) /.test(line)) return "file";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}

// Pure, and a guess, since reasons are sentences for people: a wrong word only has a wrong colour.

interface Word {
  readonly number: number;
  /** The text without quotes. */
  readonly text: string;
}

const PATTERN = "pattern: ";

/** Patterns that have a name. */
const NAMED_PATTERNS: ReadonlyMap<string, readonly string[]> = new Map([
  ["command substitution", ["$("]],
  ["backticks", ["`"]],
]);

/** The end of the policy's reason about a command inside another one, which names no word of it. */
const NESTED_COMMAND = "($(…) or backticks)";

/** Returns the numbers of the words that the reasons mention. */
export function findMentionedWords(
  tokens: readonly Token[],
  why: readonly string[],
): ReadonlySet<number> {
  const words = toWords(tokens);
  return new Set(why.flatMap((reason) => findMentioned(words, reason)));
}

function toWords(tokens: readonly Token[]): Word[] {
  const texts = new Map<number, string>();
  for (const { text, word } of tokens)
    if (word !== undefined) texts.set(word, (texts.get(word) ?? "") + text);
  return Array.from(texts, ([number, text]) => ({ number, text: text.replaceAll(/['"\\]/g, "") }));
}

function findMentioned(words: readonly Word[], reason: string): number[] {
  if (reason.startsWith(PATTERN)) {
    const pattern = reason.slice(PATTERN.length);
    return inOrder(words, NAMED_PATTERNS.get(pattern) ?? pattern.split(" "), Infinity);
  }
  if (reason.endsWith(NESTED_COMMAND))
    return words.flatMap(({ number, text }) => (/^(?:\$\(|`)$/.test(text) ? number : []));
  // "`git reset --hard` discards …": operands may be in between.
  const [, call] = /^`([^`]+)`/.exec(reason) ?? [];
  if (call !== undefined) return inOrder(words, call.replace(/…$/, "").split(" "), Infinity);
  // "rm … -r, which may delete folders" of older bridges: anything may be in between.
  const [, first, second] = /^(\S+) … ([^\s,]+)/.exec(reason) ?? [];
  if (first !== undefined && second !== undefined) return inOrder(words, [first, second], Infinity);
  const plainReason = reason.replace(/^the word /, "");
  const spoken = plainReason.split(" ").map((word) => word.replace(/[,:]$/, ""));
  const leading = findLeadingWords(words, spoken);
  // Later in the sentence, only a word that is hardly an English word counts.
  const named = spoken.slice(leading.length).filter((word) => /[./~=$*]|^-|\d/.test(word));
  return [...leading, ...named.flatMap((word) => inOrder(words, [word], 0))];
}

/** Returns the words at the start of a reason: "git reset drops …" mentions `git` and `reset`. */
function findLeadingWords(words: readonly Word[], spoken: readonly string[]): number[] {
  let best: number[] = [];
  for (let length = 1; length <= Math.min(spoken.length, 3); length++) {
    const found = inOrder(words, spoken.slice(0, length), 3);
    if (found.length === 0) break;
    best = found;
  }
  return best;
}

/**
 * Returns the numbers of `wanted` in order, as close together as possible, with at most `gap` words in
 * between.
 */
function inOrder(words: readonly Word[], wanted: readonly string[], gap: number): number[] {
  let best: number[] = [];
  let closest = Infinity;
  for (let start = 0; start < words.length; start++) {
    const places = findFrom(words, wanted, gap, start);
    const span = (places.at(-1) ?? Infinity) - start;
    if (places.length < wanted.length || span >= closest) continue;
    closest = span;
    best = places.map((at) => words[at]?.number ?? 0);
  }
  return best;
}

function findFrom(
  words: readonly Word[],
  wanted: readonly string[],
  gap: number,
  start: number,
): number[] {
  const places: number[] = [];
  let at = start;
  for (const one of wanted) {
    const last = places.length === 0 ? start : at + gap;
    while (at < words.length && at <= last && !isMatch(words[at], one)) at += 1;
    if (at > last || at >= words.length) return [];
    places.push(at);
    at += 1;
  }
  return places;
}

function isMatch(word: Word | undefined, wanted: string): boolean {
  if (word === undefined) return false;
  const [text, meant] = [word.text.toLowerCase(), wanted.toLowerCase()];
  if (text === meant || text.split("/").at(-1) === meant) return true;
  if (/^-\w$/.test(meant)) return /^-\w+$/.test(text) && text.includes(meant.slice(1));
  return meant.endsWith("/") && text.startsWith(meant);
}
