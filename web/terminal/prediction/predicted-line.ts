// Owns a predicted line: its steps, the states that it may be in, and comparing them with the row
// that arrived. Pure.

import type { CursorRow, Prompt } from "./cursor-row.ts";
import { isFree, getText } from "./cursor-row.ts";

export interface Guess {
  readonly row: number;
  /** Characters to draw until the program has answered. */
  readonly cells: readonly { readonly col: number; readonly char: string }[];
  /** The column where the next letter goes. */
  readonly cursor: number;
}

/** The line's text after one key. */
export interface LineStep {
  readonly text: string;
  readonly at: number;
}

export interface PredictedLine {
  readonly row: number;
  readonly base: number;
  /** Confirmed text: what the emulator shows from `base` up to its cursor. */
  text: string;
  steps: LineStep[];
  readonly prompt: Prompt;
  /** Whether a letter of this line was echoed, or the prompt is one that echoes. */
  isProved: boolean;
  /** When a key with an unpredictable effect was typed; undefined while predicting. */
  closedAt: number | undefined;
}

/** Returns the confirmed text and the text after each unanswered key. */
export function listStates(line: PredictedLine): string[] {
  return [line.text, ...line.steps.map(({ text }) => text)];
}

export function getLatestText(line: PredictedLine): string {
  return line.steps.at(-1)?.text ?? line.text;
}

/** Returns the length of the line's longest state. */
export function getMaxLength(line: PredictedLine): number {
  return Math.max(...listStates(line).map((text) => text.length));
}

export function isShown(cursorRow: CursorRow, line: PredictedLine, text: string): boolean {
  return cursorRow.col === line.base + text.length && containsText(cursorRow, line, text);
}

/** Whether the row shows this text, wherever the cursor is. */
function containsText(cursorRow: CursorRow, line: PredictedLine, text: string): boolean {
  const end = line.base + text.length;
  return (
    cursorRow.row === line.row &&
    getText(cursorRow, line.base, end) === text &&
    isFree(cursorRow, end, line.base + getMaxLength(line))
  );
}

export function isRepainted(cursorRow: CursorRow, line: PredictedLine): boolean {
  return listStates(line).some((text) => containsText(cursorRow, line, text));
}
