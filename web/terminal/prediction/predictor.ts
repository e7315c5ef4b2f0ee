// Owns guessing what a terminal will answer to what is typed: one line, at its end, printable ASCII and
// backspace. Guesses are kept beside the emulator, never in it, and the emulator's own screen judges
// them. Pure: screens and times come in, decorations go out.

import type { Look, Prompt } from "./look.ts";
import { isFree, isRoomy, promptOf, textOf } from "./look.ts";

export interface Guess {
  readonly row: number;
  /** What stands there until the program has answered. */
  readonly cells: readonly { readonly col: number; readonly char: string }[];
  /** The column where the next letter goes. */
  readonly cursor: number;
}

/** What the line holds behind one key. */
interface Step {
  readonly text: string;
  readonly at: number;
}

interface Line {
  readonly row: number;
  readonly base: number;
  /** What the emulator shows of it, from `base` up to its cursor. */
  text: string;
  steps: Step[];
  readonly prompt: Prompt;
  /** Whether a letter of this line came back, or a shell's prompt promises that it will. */
  isProved: boolean;
  /** Behind a key whose effect nobody can guess; undefined while letters go on. */
  closedAt: number | undefined;
}

/** A phone's keyboard gives whole words; more than that at once was pasted. */
const MOST_AT_ONCE = 24;

/**
 * Line editors paint a line again to colour it, and the cursor goes back and forth meanwhile: by the
 * next frame it stands where it belongs.
 */
const REPAINT_MS = 16;

/** What comes back as it was typed, and is neither a gap nor a star in place of a letter. */
const PROOF = /[^\s*]/;

const ERASE = "\u007F";
/** Enter, and ^C, ^D, ^Z. */
const ENDS_LINE = ["\r", "\n", "\u0003", "\u0004", "\u001A"];

export class Predictor {
  /** Without an answer for so long, a guess was wrong. */
  patienceMs = 500;
  #line: Line | undefined;
  /** Typed behind a key that nobody can guess: its place is known when that one is answered. */
  #ahead: Step[] = [];
  /** Lines that were sent, less the prompts that came since. */
  #owed = 0;
  /** When the last line was sent, and when the last prompt came. */
  #sentAt = -Infinity;
  #promptedAt = -Infinity;
  /** Of prompts at which something was echoed. */
  readonly #echoing = new Set<string>();
  #look: Look | undefined;
  /** Since when the line is as it should be but for the cursor. */
  #repaintedAt: number | undefined;

  /** When to call `tick`, if nothing else happens. */
  get dueAt(): number | undefined {
    const [oldest] = this.#line?.steps ?? [];
    if (!oldest) return undefined;
    return Math.min(oldest.at + this.patienceMs, (this.#repaintedAt ?? Infinity) + REPAINT_MS);
  }

  /** What to draw over the emulator; undefined for nothing. */
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
      // The emulator's own cursor is covered too.
      if (char !== there || (col === look.col && col !== cursor && !isHinted))
        cells.push({ col, char });
    }
    // A letter that was taken back before it was seen leaves no trace.
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

  /** The emulator has taken in some output. */
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
    // What was typed is still on its way and will show, somewhere.
    if (isWrong) return inFlight.length > 0 ? this.#wait(look, now) : this.#drop();
    return this.#place(inFlight, look, now);
  }

  /** Something was typed that this was not told, and is on its way. */
  missed(look: Look, now: number): void {
    this.#look = look;
    this.#close("", look, now);
  }

  /** A line editor has begun to read a line. */
  prompted(now: number): void {
    this.#owed = Math.max(0, this.#owed - 1);
    this.#promptedAt = now;
  }

  /** Gives up what was not answered in time. */
  tick(now: number): void {
    const line = this.#line;
    const look = this.#look;
    if (!line || !look || this.dueAt === undefined || now < this.dueAt) return undefined;
    if (this.#repaintedAt !== undefined) return this.#wait(look, now);
    const last = line.steps.at(-1)?.text;
    // A letter that was taken back leaves the line as it was, and so does one that is never shown.
    const isAnswered = last !== undefined && last !== line.text && shows(look, line, last);
    return isAnswered ? this.#confirm(line, line.steps.length) : this.#drop();
  }

  /** Another screen. Lines that were sent are still on their way. */
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

  /** What is typed next goes where nobody knows, until the emulator's cursor has left this place. */
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

  /** Whether the prompt in sight is the one that will take what is typed now. */
  #isSettled(now: number): boolean {
    if (this.#owed === 0) return true;
    // Not every line is answered by a prompt. What was sent before this one is answered by now.
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

  /** Where what was typed ahead begins: some of it may be on the screen already. */
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

function statesOf(line: Line): string[] {
  return [line.text, ...line.steps.map(({ text }) => text)];
}

function textNow(line: Line): string {
  return line.steps.at(-1)?.text ?? line.text;
}

/** How far any of its states reaches. */
function extentOf(line: Line): number {
  return Math.max(...statesOf(line).map((text) => text.length));
}

function shows(look: Look, line: Line, text: string): boolean {
  return look.col === line.base + text.length && holds(look, line, text);
}

/** Wherever the cursor is. */
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
