// Builds the text that pairpty writes into a window beside the shared terminal's own output.
// Decides what a window does with keys for an agent's terminal before and after stepping in, and
// its notices. Pure; the bridge decides who may step in.

import type { Reader } from "../../../protocol/names.ts";
import { formatReader, formatUnlocked } from "../../../protocol/names.ts";
import { replaceCommands } from "../output/command-name.ts";

const ESC = "\u001B";

/** Scrolls the window's content up; the shared screen starts at the top left. */
export function scrollUp(rows: number): string {
  return `${"\n".repeat(rows)}${ESC}[H`;
}

export function clearScreen(): string {
  return `${ESC}[0m${ESC}[H${ESC}[2J`;
}

/**
 * Shows a notice on the last line without moving the cursor, since the shared screen does not know
 * about it. A narrow window shows as many parts as fit, in order.
 */
export function formatNotice(words: readonly string[], cols: number, rows: number): string {
  const parts = words.map((part) => replaceCommands(part));
  const wholes = parts.map((_, at) => ` ${parts.slice(0, at + 1).join(" · ")}`);
  const text = wholes.findLast((whole) => whole.length <= cols) ?? wholes[0] ?? "";
  const line = text.slice(0, cols).padEnd(cols);
  return `${ESC}7${ESC}[${rows};1H${ESC}[7m${line}${ESC}[0m${ESC}8`;
}

/**
 * Shows the notice permanently: the shared screen scrolls in the rows above it. Programs may reset that
 * region, so the caller writes this again after their output.
 */
export function formatPinnedNotice(words: readonly string[], cols: number, rows: number): string {
  return `${ESC}7${ESC}[1;${Math.max(1, rows - 1)}r${ESC}8${formatNotice(words, cols, rows)}`;
}

/** Removes the notice. */
export function clearNotice(rows: number): string {
  return `${ESC}7${ESC}[${rows};1H${ESC}[2K${ESC}8`;
}

/** Turns off modes that programs turned on; the cursor stays where it is. */
export function restoreWindow(isAlternate: boolean): string {
  const off = ["9", "1000", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "2004", "2026"];
  const modes = off.map((mode) => `${ESC}[?${mode}l`).join("");
  const leave = isAlternate ? `${ESC}[?1049l` : "";
  // These two sequences would move the cursor.
  const region = `${ESC}7${ESC}[?6l${ESC}[r${ESC}8`;
  const keys = `${ESC}[?1l${ESC}>${ESC}[4l${ESC}[?7h`;
  return `${leave}${modes}${region}${keys}${ESC}[0m${ESC}[?25h${ESC}[0 q\r\n`;
}

const SCREEN_SWITCH = new RegExp(`${ESC}\\[\\?(?:47|1047|1049)([hl])`, "g");

/**
 * Tracks whether the alternate screen is shown. Keeps the last bytes, since a sequence may be split.
 */
export class AlternateScreenTracker {
  isAlternate = false;
  #tail = "";

  push(text: string): void {
    const all = this.#tail + text;
    for (const [, way] of all.matchAll(SCREEN_SWITCH)) this.isAlternate = way === "h";
    this.#tail = all.slice(-8);
  }
}

/** State of this window at an agent's terminal. */
export type StepInState = "looking" | "asked" | "in";

export interface ForegroundProgram extends Reader {
  readonly startedBy?: string | undefined;
}

export type KeyAction = "type" | "step in" | "offer" | "nothing";

const STEP_IN_KEY = "i";

/** Returns what typed bytes do. None reach the program before the bridge accepted the step-in. */
export function getKeyAction(state: StepInState, typed: Buffer): KeyAction {
  if (state === "in") return "type";
  if (state === "asked") return "nothing";
  return typed.toString("latin1") === STEP_IN_KEY ? "step in" : "offer";
}

export function formatStepInOffer(detachKey: string): string[] {
  return [
    `an agent is working here: press ${STEP_IN_KEY} to step in`,
    `${detachKey} detaches`,
    "while you are in, the agent cannot type or read",
  ];
}

export function formatSteppedIn(reading: ForegroundProgram, detachKey: string): string[] {
  const owner = reading.startedBy === undefined ? "" : ` of ${reading.startedBy}`;
  // Short, to fit 80 columns.
  return [
    `typing into ${formatReader(reading)}${owner}`,
    `${detachKey} hands back`,
    formatUnlocked(reading),
  ];
}
