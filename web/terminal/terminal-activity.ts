// Owns the bell and progress state (OSC 9;4) of terminals, which their tabs show. Covers only terminals that
// were opened on this page.

import { signal } from "@preact/signals";

export interface Progress {
  readonly state: "running" | "failed" | "unknown" | "paused";
  /** 0 to 100; meaningless if the state is unknown. */
  readonly percent: number;
}

export interface TerminalActivity {
  /** Whether the bell rang since the terminal was last visible. */
  readonly rang?: boolean;
  readonly progress?: Progress | undefined;
}

const PROGRESS_STATES: readonly (Progress["state"] | undefined)[] = [
  undefined,
  "running",
  "failed",
  "unknown",
  "paused",
];

/** Bell and progress by terminal id. */
export const terminalActivity = signal<ReadonlyMap<string, TerminalActivity>>(new Map());

/** Merges a change into a terminal's state; does nothing if it is the same. */
export function updateActivity(id: string, change: TerminalActivity): void {
  const before = terminalActivity.peek().get(id);
  if (before === undefined && change.rang !== true && change.progress === undefined) return;
  const after = { ...before, ...change };
  // Hot path (every keystroke): usually returns here.
  if (before?.rang === after.rang && before?.progress === after.progress) return;
  terminalActivity.value = new Map(terminalActivity.peek()).set(id, after);
}

export function clearActivity(id: string): void {
  if (!terminalActivity.peek().has(id)) return;
  const rest = new Map(terminalActivity.peek());
  rest.delete(id);
  terminalActivity.value = rest;
}

/** Parses the payload of `OSC 9 ;`: null if it is not progress, undefined if the progress is finished. */
export function parseProgress(values: string): Progress | undefined | null {
  const [, state = "", percent = ""] = /^4;(\d+)(?:;(\d*))?$/.exec(values) ?? [];
  if (state === "" || Number(state) >= PROGRESS_STATES.length) return null;
  const known = PROGRESS_STATES[Number(state)];
  return known && { state: known, percent: Math.min(100, Number(percent)) };
}
