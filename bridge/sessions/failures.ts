// Owns which lines of a long output look like failures, and the choice of those that fit beside
// head and tail. Pure. A false positive costs a few characters; a missed failure costs the agent
// another call. Also owns the search for failures in the part of an output that an answer leaves
// out. It may have megabytes: all scans together read one piece per turn of the event loop.

import { KiB } from "../../protocol/limits.ts";
import { findCharacterStart } from "../../protocol/text.ts";
import type { KeptPiece } from "../commands/kept-output.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import { PlainTextDecoder } from "../sequences/plain-text.ts";
import type { Cut } from "./crop.ts";

/** Room for failures of the cut in an answer, including marks. */
export const MAX_FAILURE_CHARS = 4_000;
/** Room for lines that merely mention an error. */
const MAX_MENTION_CHARS = 1_000;
/** Longer lines are judged by their beginning, and cut. */
const MAX_LINE_CHARS = 400;
/** A failed test's message follows its name. */
const LINES_AFTER = 6;
/** Separates lines that are not adjacent, as grep does. */
const SEPARATOR = "--";

export type FailureWeight = "failure" | "mention" | "none";

/** Rejects most lines quickly. */
const CANDIDATE =
  /error|err!|fail|not ok|fatal|panic|exception|traceback|fault|abort|denied|not found|no such|refused|timed out|undefined ref|\*\*\*|[✗✘✖✕×❌●]|^\s*E\s|^\s+\d+\) |\[X\]|= [FE]$/i;

const PASSED = [
  /^\s*(?:ok\b|\(pass\)|[✓✔√]|PASS(?:ED)?\b|--- PASS\b|# ?(?:pass|ok)\b|\[ *(?:OK|PASS\w*) *\])/i,
  /(?:\bok|\bPASS(?:ED)?|[✓✔]|\[OK\])(?: \([^)]*\)| \d[\d.]* ?m?s| +\[ *\d+%\])?\s*$/,
  // CTest, XCTest, minitest and ExUnit: how long it took follows.
  /\bpassed\s+\(?\d[\d.]* sec(?:onds)?\)?\.?\s*$|= \d[\d.]* s = \.$|^\s+\* test .*\(\d[\d.]*ms\)/i,
];

/** Matches counts of zero, as in summaries. */
const NO_FAILURES =
  /\b(?:0|no) (?:errors?|fail\w*)\b|\b(?:errors?|fail\w*)[:=]? 0(?=\s*(?:[,;.)\]]|$))/gi;

const FAILED = [
  /^\s*(?:not ok\b|[✗✘✖✕×❌]|●\s|E {2,}\S)/,
  /\bFAIL(?:ED|URES?)?\b/,
  /^\s*\(fail\)\s|^\s+Failed\s|\*{3} ?(?:Failed|Timeout|Exception|Not Run)\b/,
  // Mocha, ExUnit and RSpec number their failures; JUnit and minitest mark them at the end.
  /^\s+\d{1,4}\) \S|\s\[X\](?:\s|$)|= \d[\d.]* s = [FE]$/,
  /(?:^|[\s[(:])(?:error|fatal error|fatal|panic|critical)(?:\[\w+\]| [A-Z]{1,6}\d+)?[:!]/i,
  /\b\w*(?:Error|Exception)\b(?: \[\w+\])?:/,
  /^\s*\d+:\d+\s+error\s/,
  /^\s*\[?ERROR\b/,
  /^npm (?:ERR!|error)/,
  /^\w*make(?:\[\d+\])?: \*\*\*/,
  /\bpanicked at\b|^Traceback |\bSegmentation fault\b|\bcore dumped\b|\bundefined reference\b/,
  /\bunhandled\b.{0,40}\b(?:rejection|exception|error)\b/i,
];

/** Returns how much a line looks like a failure; "none" for a passed test, whatever its name. */
export function weighLine(line: string): FailureWeight {
  const start = line.slice(0, MAX_LINE_CHARS);
  if (!CANDIDATE.test(start) || isPassed(start)) return "none";
  const rest = start.replaceAll(NO_FAILURES, "");
  if (!CANDIDATE.test(rest)) return "none";
  return FAILED.some((pattern) => pattern.test(rest)) ? "failure" : "mention";
}

interface ChosenLine {
  readonly at: number;
  readonly line: string;
}

/** Collects a bounded number of lines, in order. */
export class FailureLines {
  readonly #maxChars: number;
  readonly #failures: ChosenLine[] = [];
  readonly #mentions: ChosenLine[] = [];
  /** Repeated lines are shown once. */
  readonly #seen = new Set<string>();
  #failureChars = 0;
  #mentionChars = 0;
  #at = 0;
  #isFull = false;
  #follow = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Whether no further line fits. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add(line: string): void {
    this.#at += 1;
    const weight = weighLine(line);
    const isNew = weight !== "none" && !this.#seen.has(line.trim());
    if (weight === "failure" && isNew) {
      this.#follow = LINES_AFTER;
      return this.#addFailure(line);
    }
    const isFollowing = this.#follow > 0 && line.trim() !== "" && !isPassed(line);
    this.#follow = isFollowing ? this.#follow - 1 : 0;
    if (isFollowing) return this.#addFailure(line);
    if (weight === "mention" && isNew) this.#addMention(line);
    return undefined;
  }

  /** Returns the chosen lines in their order; "" without any. */
  text(): string {
    const left = Math.min(MAX_MENTION_CHARS, this.#maxChars - this.#failureChars);
    let used = 0;
    const mentions = this.#mentions.filter(({ line }) => {
      used += getLineCost(line);
      return used <= left;
    });
    let text = "";
    let before: number | undefined;
    for (const { at, line } of [...this.#failures, ...mentions].toSorted((a, b) => a.at - b.at)) {
      if (before !== undefined && at > before + 1) text += `${SEPARATOR}\n`;
      text += `${line}\n`;
      before = at;
    }
    return text;
  }

  #addFailure(line: string): void {
    const shown = shorten(line);
    if (this.#failureChars + getLineCost(shown) > this.#maxChars) {
      this.#isFull = true;
      this.#follow = 0;
      return;
    }
    this.#seen.add(line.trim());
    this.#failureChars += getLineCost(shown);
    this.#failures.push({ at: this.#at, line: shown });
  }

  #addMention(line: string): void {
    const shown = shorten(line);
    if (this.#mentionChars + getLineCost(shown) > MAX_MENTION_CHARS) return;
    this.#seen.add(line.trim());
    this.#mentionChars += getLineCost(shown);
    this.#mentions.push({ at: this.#at, line: shown });
  }
}

function isPassed(line: string): boolean {
  const start = line.slice(0, MAX_LINE_CHARS);
  return PASSED.some((pattern) => pattern.test(start));
}

function shorten(line: string): string {
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS - 1)}…`;
}

/** Returns the length with newline and a possible separator. */
function getLineCost(line: string): number {
  return line.length + SEPARATOR.length + 2;
}

/** Takes some milliseconds. */
const TURN_BYTES = 64 * KiB;
/** A line that the cut begins within is read from its start, if that is this near. */
const LINE_REACH = 400;
/** The beginning of a line is enough to weigh it. */
const MAX_OPEN_LINE = 4 * KiB;
const NEWLINE = 0x0a;

const scanQueue = new SerialQueue();

/** Returns the lines of the cut that look like failures, at most `maxChars` characters. */
export async function findFailures(
  pieces: readonly KeptPiece[],
  { from, to }: Cut,
  maxChars: number,
): Promise<string> {
  const lines = new FailureLines(maxChars);
  for (const piece of pieces) {
    const end = Math.min(to - piece.offset, piece.bytes.length);
    const scan = new PieceScan(piece.bytes, Math.max(from - piece.offset, 0), end, lines);
    while (!scan.isOver && !lines.isFull) await scanQueue.run(() => scan.step());
  }
  return lines.text();
}

class PieceScan {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #lines: FailureLines;
  readonly #between = new PlainTextDecoder();
  #at: number;
  /** An incomplete line. */
  #open = "";

  constructor(bytes: Buffer, from: number, end: number, lines: FailureLines) {
    this.#bytes = bytes;
    this.#end = end;
    this.#lines = lines;
    this.#at = from < end ? lineStart(bytes, from) : end;
    this.#between.startAt(bytes, this.#at);
  }

  get isOver(): boolean {
    return this.#at >= this.#end;
  }

  step(): void {
    const next = Math.min(findCharacterStart(this.#bytes, this.#at + TURN_BYTES), this.#end);
    const text = this.#open + this.#between.take(this.#bytes.subarray(this.#at, next));
    this.#at = next;
    const lines = text.split(/\r?\n|\r/);
    this.#open = this.isOver ? "" : (lines.pop() ?? "").slice(0, MAX_OPEN_LINE);
    for (const line of lines) this.#lines.add(line);
  }
}

function lineStart(bytes: Buffer, at: number): number {
  const reach = bytes.subarray(Math.max(at - LINE_REACH, 0), at);
  const newline = reach.lastIndexOf(NEWLINE);
  return newline === -1 ? at : at - reach.length + newline + 1;
}
