// Owns predicting the echo of typed input: at the end of one line, for printable ASCII and backspace. The
// emulator is never changed; its screen confirms or refutes each prediction. Pure: takes screens and times,
// returns what to draw.

import type { CursorRow, Prompt } from "./cursor-row.ts";
import { hasFreeCells, classifyPrompt, getText } from "./cursor-row.ts";
import type { PredictedLine, LineStep, Guess } from "./predicted-line.ts";
import { getMaxLength, listStates, isShown, isRepainted, getLatestText } from "./predicted-line.ts";

/** Phone keyboards insert whole words; longer input is a paste. */
const MAX_TYPED_CHARS = 24;

/**
 * Line editors repaint a line to colour it, which moves the cursor back and forth; after one frame the cursor
 * is expected in its place.
 */
const REPAINT_MS = 16;

/** Echo that proves echoing: not whitespace, and not a star that hides a letter. */
const ECHO_PROOF = /[^\s*]/;

const ERASE = "\u007F";
/** Enter, and ^C, ^D, ^Z. */
const ENDS_LINE = ["\r", "\n", "\u0003", "\u0004", "\u001A"];

export class Predictor {
  /** A prediction without an answer for so long is dropped. */
  timeoutMs = 500;
  #line: PredictedLine | undefined;
  /** Typed after an unpredictable key: placed when that key is answered. */
  #typedAhead: LineStep[] = [];
  /** Number of lines sent whose prompt has not come yet. */
  #pendingPrompts = 0;
  /** When the last line was sent, and when the last prompt came. */
  #sentAt = -Infinity;
  #promptedAt = -Infinity;
  /** Names of prompts at which something was echoed. */
  readonly #echoingPrompts = new Set<string>();
  #cursorRow: CursorRow | undefined;
  /** Since when the line has the expected text but the cursor is elsewhere. */
  #repaintedAt: number | undefined;

  /** When to call `tick` next; undefined if there is nothing to expire. */
  get dueAt(): number | undefined {
    const [oldest] = this.#line?.steps ?? [];
    if (!oldest) return undefined;
    return Math.min(oldest.at + this.timeoutMs, (this.#repaintedAt ?? Infinity) + REPAINT_MS);
  }

  /** Prediction to draw; undefined for none. */
  get guess(): Guess | undefined {
    const line = this.#line;
    const cursorRow = this.#cursorRow;
    const last = line?.steps.at(-1);
    if (!line?.isProved || !cursorRow || !last) return undefined;
    const cursor = line.base + last.text.length;
    const cells: { col: number; char: string }[] = [];
    for (let at = 0; at <= getMaxLength(line); at++) {
      const col = line.base + at;
      const char = last.text[at] ?? " ";
      const isHinted = cursorRow.hints?.has(col) === true;
      const there = isHinted ? " " : getText(cursorRow, col, col + 1);
      // Also covers the emulator's own cursor.
      if (char !== there || (col === cursorRow.col && col !== cursor && !isHinted))
        cells.push({ col, char });
    }
    // A letter that was erased before it was echoed changes nothing.
    if (cells.length === 0 && cursor === cursorRow.col) return undefined;
    return { row: line.row, cells, cursor };
  }

  onSent(data: string, cursorRow: CursorRow, now: number): void {
    this.#cursorRow = cursorRow;
    if (!cursorRow.isNormalScreen) return this.reset();
    if (data === ERASE) return this.#erase(cursorRow, now);
    if (data.length > MAX_TYPED_CHARS || !/^[ -~]+$/.test(data))
      return this.#stopPredicting(data, cursorRow, now);
    for (const char of data) this.#add(char, cursorRow, now);
    return undefined;
  }

  /** Compares predictions with the screen after output was parsed. */
  onOutput(cursorRow: CursorRow, now: number): void {
    this.#cursorRow = cursorRow;
    if (!cursorRow.isNormalScreen) return this.reset();
    const line = this.#line;
    if (!line) return undefined;
    const reached = listStates(line).findIndex((text) => isShown(cursorRow, line, text));
    const since = this.#repaintedAt ?? now;
    this.#repaintedAt = undefined;
    if (reached >= 0) return this.#confirm(line, reached);
    const isPlaced = line.isProved || line.text !== "";
    const isWrong = isPlaced && line.closedAt === undefined;
    const isGuessing = line.steps.length > 0;
    if (isWrong && isRepainted(cursorRow, line) && (!isGuessing || now - since < REPAINT_MS)) {
      this.#repaintedAt = isGuessing ? since : undefined;
      return undefined;
    }
    const inFlight = line.closedAt === undefined ? line.steps : this.#typedAhead;
    this.#typedAhead = [];
    // Typed input is still unanswered and will appear at an unknown place.
    if (isWrong) return inFlight.length > 0 ? this.#waitForCursor(cursorRow, now) : this.#drop();
    return this.#placeTypedAhead(inFlight, cursorRow, now);
  }

  /** Handles input that was sent before this was loaded and is unanswered. */
  onMissedInput(cursorRow: CursorRow, now: number): void {
    this.#cursorRow = cursorRow;
    this.#stopPredicting("", cursorRow, now);
  }

  /** Handles a new prompt: a line editor has started to read. */
  onPrompt(now: number): void {
    this.#pendingPrompts = Math.max(0, this.#pendingPrompts - 1);
    this.#promptedAt = now;
  }

  /** Drops predictions that were not answered in time. */
  tick(now: number): void {
    const line = this.#line;
    const cursorRow = this.#cursorRow;
    if (!line || !cursorRow || this.dueAt === undefined || now < this.dueAt) return undefined;
    if (this.#repaintedAt !== undefined) return this.#waitForCursor(cursorRow, now);
    const last = line.steps.at(-1)?.text;
    // An unchanged line proves nothing: an erased letter and one without echo look the same.
    const isAnswered = last !== undefined && last !== line.text && isShown(cursorRow, line, last);
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
    this.#typedAhead = [];
  }

  #add(char: string, cursorRow: CursorRow, now: number): void {
    const line = this.#openLine(cursorRow, now);
    if (line.closedAt !== undefined) {
      this.#typedAhead.push({ text: (this.#typedAhead.at(-1)?.text ?? "") + char, at: now });
      return;
    }
    const text = getLatestText(line) + char;
    const end = line.base + text.length;
    const from = line.base + Math.max(getMaxLength(line), text.length - 1);
    if (end >= cursorRow.cells.length || !hasFreeCells(cursorRow, from))
      this.#stopPredicting(char, cursorRow, now);
    else line.steps.push({ text, at: now });
  }

  #erase(cursorRow: CursorRow, now: number): void {
    const line = this.#line;
    const steps = line?.closedAt === undefined ? line?.steps : this.#typedAhead;
    const text =
      line?.closedAt === undefined ? line && getLatestText(line) : this.#typedAhead.at(-1)?.text;
    if (steps === undefined || text === undefined || text === "")
      return this.#stopPredicting(ERASE, cursorRow, now);
    steps.push({ text: text.slice(0, -1), at: now });
    return undefined;
  }

  /** Stops predicting until the cursor has moved: the key's effect is unknown. */
  #stopPredicting(data: string, cursorRow: CursorRow, now: number): void {
    if (ENDS_LINE.some((key) => data.includes(key))) {
      this.#pendingPrompts += 1;
      this.#sentAt = now;
    }
    this.#typedAhead = [];
    if (this.#line) this.#line.closedAt = now;
    else this.#waitForCursor(cursorRow, now);
  }

  #waitForCursor(cursorRow: CursorRow, now: number): void {
    this.#repaintedAt = undefined;
    const { row, col: base } = cursorRow;
    const prompt = classifyPrompt(cursorRow, base);
    this.#line = { row, base, text: "", steps: [], prompt, isProved: false, closedAt: now };
  }

  #openLine(cursorRow: CursorRow, now: number): PredictedLine {
    const line = this.#line;
    const isOver =
      line?.closedAt !== undefined &&
      line.steps.length === 0 &&
      now - line.closedAt > this.timeoutMs;
    if (line && !isOver) return line;
    this.#typedAhead = [];
    return this.#begin(cursorRow.col, [], cursorRow, now);
  }

  #begin(base: number, steps: LineStep[], cursorRow: CursorRow, now: number): PredictedLine {
    const prompt = classifyPrompt(cursorRow, base);
    this.#line = {
      row: cursorRow.row,
      base,
      text: getText(cursorRow, base, cursorRow.col),
      steps,
      prompt,
      isProved: this.#isSettled(now) && this.#isEchoing(prompt),
      closedAt: undefined,
    };
    return this.#line;
  }

  /** Whether the visible prompt will read the input typed now. */
  #isSettled(now: number): boolean {
    if (this.#pendingPrompts === 0) return true;
    // Not every line leads to a prompt; after this time, earlier lines count as answered.
    return this.#promptedAt > this.#sentAt && now - this.#promptedAt > this.timeoutMs;
  }

  #isEchoing(prompt: Prompt): boolean {
    return (
      prompt.is === "shell" || (prompt.is === "named" && this.#echoingPrompts.has(prompt.name))
    );
  }

  #confirm(line: PredictedLine, count: number): void {
    const done = line.steps.splice(0, count).at(-1);
    if (done === undefined) return;
    const isProof = ECHO_PROOF.test(done.text.slice(line.text.length));
    line.text = done.text;
    if (!isProof || line.prompt.is === "secret") return;
    line.isProved = true;
    if (line.prompt.is === "named") this.#echoingPrompts.add(line.prompt.name);
  }

  /** Finds where input typed ahead begins; part of it may already be on the screen. */
  #placeTypedAhead(steps: LineStep[], cursorRow: CursorRow, now: number): void {
    const [oldest] = steps;
    if (!oldest || now - oldest.at > this.timeoutMs) return this.#drop();
    const seen = steps.findLastIndex(({ text }) => {
      const from = cursorRow.col - text.length;
      return text !== "" && from >= 0 && getText(cursorRow, from, cursorRow.col) === text;
    });
    const base = cursorRow.col - (steps[seen]?.text.length ?? 0);
    const end = base + Math.max(...steps.map(({ text }) => text.length));
    const hasRoom = end < cursorRow.cells.length && hasFreeCells(cursorRow, cursorRow.col);
    if (!hasRoom) return this.#waitForCursor(cursorRow, now);
    this.#begin(base, steps.slice(seen + 1), cursorRow, now);
    return undefined;
  }
}
