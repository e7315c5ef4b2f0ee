// Owns predicting the echo of typed input: at the end of one line, for printable ASCII and backspace. The
// emulator is never changed; its screen confirms or refutes each prediction. Pure: takes screens and times,
// returns what to draw.

import type { Look, Prompt } from "./look.ts";
import { isFree, isRoomy, promptOf, textOf } from "./look.ts";

export interface Guess {
  readonly row: number;
  /** Characters to draw until the program has answered. */
  readonly cells: readonly { readonly col: number; readonly char: string }[];
  /** The column where the next letter goes. */
  readonly cursor: number;
}

/** The line's text after one key. */
interface Step {
  readonly text: string;
  readonly at: number;
}

interface Line {
  readonly row: number;
  readonly base: number;
  /** Confirmed text: what the emulator shows from `base` up to its cursor. */
  text: string;
  steps: Step[];
  readonly prompt: Prompt;
  /** Whether a letter of this line was echoed, or the prompt is one that echoes. */
  isProved: boolean;
  /** When a key with an unpredictable effect was typed; undefined while predicting. */
  closedAt: number | undefined;
}

/** Phone keyboards insert whole words; longer input is a paste. */
const MOST_AT_ONCE = 24;

/**
 * Line editors repaint a line to colour it, which moves the cursor back and forth; after one frame the cursor
 * is expected in its place.
 */
const REPAINT_MS = 16;

/** Echo that proves echoing: not whitespace, and not a star that hides a letter. */
const PROOF = /[^\s*]/;

const ERASE = "\u007F";
/** Enter, and ^C, ^D, ^Z. */
const ENDS_LINE = ["\r", "\n", "\u0003", "\u0004", "\u001A"];

export class Predictor {
  /** A prediction without an answer for so long is dropped. */
  patienceMs = 500;
  #line: Line | undefined;
  /** Typed after an unpredictable key: placed when that key is answered. */
  #ahead: Step[] = [];
  /** Number of lines sent whose prompt has not come yet. */
  #owed = 0;
  /** When the last line was sent, and when the last prompt came. */
  #sentAt = -Infinity;
  #promptedAt = -Infinity;
  /** Names of prompts at which something was echoed. */
  readonly #echoing = new Set<string>();
  #look: Look | undefined;
  /** Since when the line has the expected text but the cursor is elsewhere. */
  #repaintedAt: number | undefined;

  /** When to call `tick` next; undefined if there is nothing to expire. */
  get dueAt(): number | undefined {
    const [oldest] = this.#line?.steps ?? [];
    if (!oldest) return undefined;
    return Math.min(oldest.at + this.patienceMs, (this.#repaintedAt ?? Infinity) + REPAINT_MS);
  }

  /** Prediction to draw; undefined for none. */
  get guess(): Guess | undefined {
    const line = this.#line;
    const look = this.#look;
    const last = line?.steps.at(-1);
    if (!line?.isProved || !look || !last) return undefined;
    const cursor = line.base + last.text.length;
    const cells: { col: number; char: string }[] = [];
    for (let at = 0; at <= extentOf(line); at++) {
      const col = line.base + at;
      const char = last.text[at] ?? " ";
      const isHinted = look.hints?.has(col) === true;
      const there = isHinted ? " " : textOf(look, col, col + 1);
      // Also covers the emulator's own cursor.
      if (char !== there || (col === look.col && col !== cursor && !isHinted))
        cells.push({ col, char });
    }
    // A letter that was erased before it was echoed changes nothing.
    if (cells.length === 0 && cursor === look.col) return undefined;
    return { row: line.row, cells, cursor };
  }

  typed(data: string, look: Look, now: number): void {
    this.#look = look;
    if (!look.isPlain) return this.reset();
    if (data === ERASE) return this.#erase(look, now);
    if (data.length > MOST_AT_ONCE || !/^[ -~]+$/.test(data)) return this.#close(data, look, now);
    for (const char of data) this.#add(char, look, now);
    return undefined;
  }

  /** Compares predictions with the screen after output was parsed. */
  wrote(look: Look, now: number): void {
    this.#look = look;
    if (!look.isPlain) return this.reset();
    const line = this.#line;
    if (!line) return undefined;
    const reached = statesOf(line).findIndex((text) => shows(look, line, text));
    const since = this.#repaintedAt ?? now;
    this.#repaintedAt = undefined;
    if (reached >= 0) return this.#confirm(line, reached);
    const isPlaced = line.isProved || line.text !== "";
    const isWrong = isPlaced && line.closedAt === undefined;
    const isGuessing = line.steps.length > 0;
    if (isWrong && isRepainted(look, line) && (!isGuessing || now - since < REPAINT_MS)) {
      this.#repaintedAt = isGuessing ? since : undefined;
      return undefined;
    }
    const inFlight = line.closedAt === undefined ? line.steps : this.#ahead;
    this.#ahead = [];
    // Typed input is still unanswered and will appear at an unknown place.
    if (isWrong) return inFlight.length > 0 ? this.#wait(look, now) : this.#drop();
    return this.#place(inFlight, look, now);
  }

  /** Handles input that was sent before this was loaded and is unanswered. */
  missed(look: Look, now: number): void {
    this.#look = look;
    this.#close("", look, now);
  }

  /** Handles a new prompt: a line editor has started to read. */
  prompted(now: number): void {
    this.#owed = Math.max(0, this.#owed - 1);
    this.#promptedAt = now;
  }

  /** Drops predictions that were not answered in time. */
  tick(now: number): void {
    const line = this.#line;
    const look = this.#look;
    if (!line || !look || this.dueAt === undefined || now < this.dueAt) return undefined;
    if (this.#repaintedAt !== undefined) return this.#wait(look, now);
    const last = line.steps.at(-1)?.text;
    // An unchanged line proves nothing: an erased letter and one without echo look the same.
    const isAnswered = last !== undefined && last !== line.text && shows(look, line, last);
    return isAnswered ? this.#confirm(line, line.steps.length) : this.#drop();
  }

  /** Drops predictions after a change of screen; sent lines still count as unanswered. */
  reset(): void {
    this.#drop();
    this.#promptedAt = -Infinity;
  }

  #drop(): void {
    this.#line = undefined;
    this.#repaintedAt = undefined;
    this.#ahead = [];
  }

  #add(char: string, look: Look, now: number): void {
    const line = this.#openLine(look, now);
    if (line.closedAt !== undefined) {
      this.#ahead.push({ text: (this.#ahead.at(-1)?.text ?? "") + char, at: now });
      return;
    }
    const text = textNow(line) + char;
    const end = line.base + text.length;
    const from = line.base + Math.max(extentOf(line), text.length - 1);
    if (end >= look.cells.length || !isRoomy(look, from)) this.#close(char, look, now);
    else line.steps.push({ text, at: now });
  }

  #erase(look: Look, now: number): void {
    const line = this.#line;
    const steps = line?.closedAt === undefined ? line?.steps : this.#ahead;
    const text = line?.closedAt === undefined ? line && textNow(line) : this.#ahead.at(-1)?.text;
    if (steps === undefined || text === undefined || text === "")
      return this.#close(ERASE, look, now);
    steps.push({ text: text.slice(0, -1), at: now });
    return undefined;
  }

  /** Stops predicting until the cursor has moved: the key's effect is unknown. */
  #close(data: string, look: Look, now: number): void {
    if (ENDS_LINE.some((key) => data.includes(key))) {
      this.#owed += 1;
      this.#sentAt = now;
    }
    this.#ahead = [];
    if (this.#line) this.#line.closedAt = now;
    else this.#wait(look, now);
  }

  #wait(look: Look, now: number): void {
    this.#repaintedAt = undefined;
    const { row, col: base } = look;
    const prompt = promptOf(look, base);
    this.#line = { row, base, text: "", steps: [], prompt, isProved: false, closedAt: now };
  }

  #openLine(look: Look, now: number): Line {
    const line = this.#line;
    const isOver =
      line?.closedAt !== undefined &&
      line.steps.length === 0 &&
      now - line.closedAt > this.patienceMs;
    if (line && !isOver) return line;
    this.#ahead = [];
    return this.#begin(look.col, [], look, now);
  }

  #begin(base: number, steps: Step[], look: Look, now: number): Line {
    const prompt = promptOf(look, base);
    this.#line = {
      row: look.row,
      base,
      text: textOf(look, base, look.col),
      steps,
      prompt,
      isProved: this.#isSettled(now) && this.#promises(prompt),
      closedAt: undefined,
    };
    return this.#line;
  }

  /** Whether the visible prompt will read the input typed now. */
  #isSettled(now: number): boolean {
    if (this.#owed === 0) return true;
    // Not every line leads to a prompt; after this time, earlier lines count as answered.
    return this.#promptedAt > this.#sentAt && now - this.#promptedAt > this.patienceMs;
  }

  #promises(prompt: Prompt): boolean {
    return prompt.is === "shell" || (prompt.is === "named" && this.#echoing.has(prompt.name));
  }

  #confirm(line: Line, count: number): void {
    const done = line.steps.splice(0, count).at(-1);
    if (done === undefined) return;
    const isProof = PROOF.test(done.text.slice(line.text.length));
    line.text = done.text;
    if (!isProof || line.prompt.is === "secret") return;
    line.isProved = true;
    if (line.prompt.is === "named") this.#echoing.add(line.prompt.name);
  }

  /** Finds where input typed ahead begins; part of it may already be on the screen. */
  #place(steps: Step[], look: Look, now: number): void {
    const [oldest] = steps;
    if (!oldest || now - oldest.at > this.patienceMs) return this.#drop();
    const seen = steps.findLastIndex(({ text }) => {
      const from = look.col - text.length;
      return text !== "" && from >= 0 && textOf(look, from, look.col) === text;
    });
    const base = look.col - (steps[seen]?.text.length ?? 0);
    const end = base + Math.max(...steps.map(({ text }) => text.length));
    const hasRoom = end < look.cells.length && isRoomy(look, look.col);
    if (!hasRoom) return this.#wait(look, now);
    this.#begin(base, steps.slice(seen + 1), look, now);
    return undefined;
  }
}

/** Returns the confirmed text and the text after each unanswered key. */
function statesOf(line: Line): string[] {
  return [line.text, ...line.steps.map(({ text }) => text)];
}

function textNow(line: Line): string {
  return line.steps.at(-1)?.text ?? line.text;
}

/** Returns the length of the line's longest state. */
function extentOf(line: Line): number {
  return Math.max(...statesOf(line).map((text) => text.length));
}

function shows(look: Look, line: Line, text: string): boolean {
  return look.col === line.base + text.length && holds(look, line, text);
}

/** Whether the row shows this text, wherever the cursor is. */
function holds(look: Look, line: Line, text: string): boolean {
  const end = line.base + text.length;
  return (
    look.row === line.row &&
    textOf(look, line.base, end) === text &&
    isFree(look, end, line.base + extentOf(line))
  );
}

function isRepainted(look: Look, line: Line): boolean {
  return statesOf(line).some((text) => holds(look, line, text));
}
