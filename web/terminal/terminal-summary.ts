// Owns the content of a terminal's tab: name, details and chips. Also owns the bell and progress
// state (OSC 9;4) of terminals, which their tabs show. Covers only terminals that were opened on
// this page.

import { signal } from "@preact/signals";
import { toOneLine } from "../../protocol/names.ts";
import type { Store } from "../session/store.ts";
import type { TerminalEnd, TerminalEntry } from "../session/terminal-list.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import { getFolderName, formatShortTerminalEnd, formatName } from "../session/terminal-names.ts";
import type { Chip, ViewSummary } from "../views/view.ts";
import { EMPTY_SUMMARY } from "../views/view.ts";

/** Returns the tab's content; reads signals, so a component that calls it re-renders. */
export function summarizeTerminal(store: Store, id: string): ViewSummary {
  const known = store.findTerminal(id);
  const name = store.names.value.get(id);
  if (!known || !name) return EMPTY_SUMMARY;
  const { startedBy, owner, title } = known.terminal;
  const cwd = known.running?.cwd ?? known.terminal.cwd;
  const program = known.running?.program ?? "";
  const starter = startedBy === undefined ? [] : [`started by ${toOneLine(startedBy)}`];
  const isShownElsewhere = known.terminal.conversation !== undefined;
  const isSafe = known.ended !== undefined || isShownElsewhere;
  const closing = known.ended && !isShownElsewhere ? "Dismiss" : "Close";
  return {
    label: name.text,
    hint: getFolderName(known, name.text),
    ...(owner === "agent" && { section: "agents" as const }),
    name: formatName(name),
    number: name.number,
    details: [
      ...[title, program]
        .filter((one) => one && one !== name.text)
        .map((one) => toOneLine(`${one}`)),
      toOneLine(cwd),
      ...starter,
    ],
    chips: [...getActivityChips(store, id), ...getChips(known)],
    ended: known.ended !== undefined,
    closing: isSafe || store.mayEdit.value ? closing : undefined,
  };
}

/** Returns the chips for a bell and for progress. */
function getActivityChips(store: Store, id: string): readonly Chip[] {
  const { rang, progress } = terminalActivity.value.get(id) ?? {};
  const chips: Chip[] = [];
  if (rang && !store.views.isShown(toTerminalView(id))) chips.push({ text: "bell", tone: "" });
  if (progress && progress.state !== "unknown")
    chips.push({
      text: `${progress.percent} %`,
      tone: progress.state === "failed" ? "bad" : "",
    });
  if (progress?.state === "unknown") chips.push({ text: "busy", tone: "" });
  return chips;
}

export function getEndTone(ended: TerminalEnd): Chip["tone"] {
  if (typeof ended === "string" || ended.onPurpose === true) return "";
  return ended.exitCode === 0 ? "good" : "bad";
}

export function getChips({
  terminal,
  ended,
}: Pick<TerminalEntry, "terminal" | "ended">): readonly Chip[] {
  const { owner, startedBy, isolation } = terminal;
  const chips: Chip[] = [];
  // Agents' own terminals are in a section of their own and need no chip.
  if (owner === "user" && startedBy !== undefined) chips.push({ text: "from an agent", tone: "" });
  if (terminal.private) chips.push({ text: "private", tone: "good" });
  if (terminal.recording && !ended) chips.push({ text: "● rec", tone: "bad" });
  if (isolation !== undefined) chips.push({ text: isolation, tone: "" });
  if (ended) chips.push({ text: formatShortTerminalEnd(ended), tone: getEndTone(ended) });
  return chips;
}

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
