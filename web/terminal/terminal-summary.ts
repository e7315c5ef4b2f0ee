// Owns the content of a terminal's tab: name, details and chips.

import { toOneLine } from "../../protocol/names.ts";
import { getFolderName, formatShortTerminalEnd, formatName } from "../session/terminal-names.ts";
import type { Store } from "../session/store.ts";
import type { TerminalEnd, TerminalEntry } from "../session/terminal-list.ts";
import { toTerminalView } from "../session/terminal-list.ts";
import type { Chip, ViewSummary } from "../views/view.ts";
import { EMPTY_SUMMARY } from "../views/view.ts";
import { terminalActivity } from "./terminal-activity.ts";

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
