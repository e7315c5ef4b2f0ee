// Owns what a terminal tells besides its text: that it rang, and how far its program is (OSC 9;4).
// Tabs show it. Only terminals that were opened on this page are listened to.

import { signal } from "@preact/signals";

export interface Progress {
  readonly state: "running" | "failed" | "unknown" | "paused";
  /** 0 to 100; of no meaning where it is unknown. */
  readonly percent: number;
}

export interface Signs {
  /** Since it was last looked at. */
  readonly rang?: boolean;
  readonly progress?: Progress | undefined;
}

const STATES: readonly (Progress["state"] | undefined)[] = [
  undefined,
  "running",
  "failed",
  "unknown",
  "paused",
];

/** By terminal. */
export const signs = signal<ReadonlyMap<string, Signs>>(new Map());

export function sign(id: string, change: Signs): void {
  const before = signs.peek().get(id);
  if (before === undefined && change.rang !== true && change.progress === undefined) return;
  const after = { ...before, ...change };
  // A terminal is looked at with every key: that is seldom news.
  if (before?.rang === after.rang && before?.progress === after.progress) return;
  signs.value = new Map(signs.peek()).set(id, after);
}

export function forgetSigns(id: string): void {
  if (!signs.peek().has(id)) return;
  const rest = new Map(signs.peek());
  rest.delete(id);
  signs.value = rest;
}

/** What stands behind `OSC 9 ;`: null where it is no progress, undefined where that is over. */
export function progressOf(values: string): Progress | undefined | null {
  const [, state = "", percent = ""] = /^4;(\d+)(?:;(\d*))?$/.exec(values) ?? [];
  if (state === "" || Number(state) >= STATES.length) return null;
  const known = STATES[Number(state)];
  return known && { state: known, percent: Math.min(100, Number(percent)) };
}
