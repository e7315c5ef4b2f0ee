// Owns the content of a terminal's tab: name, details and chips.

import { onOneLine } from "../../protocol/title.ts";
import { folderOf, shortEndingOf, toText } from "../session/names.ts";
import type { Store } from "../session/store.ts";
import type { Ended, Known } from "../session/terminals.ts";
import { viewOf } from "../session/terminals.ts";
import type { Chip, Face } from "../views/view.ts";
import { NO_FACE } from "../views/view.ts";
import { signs } from "./signs.ts";

/** Returns the tab's content; reads signals, so a component that calls it re-renders. */
export function faceOf(store: Store, id: string): Face {
  const known = store.terminal(id);
  const name = store.names.value.get(id);
  if (!known || !name) return NO_FACE;
  const { startedBy, owner, title } = known.terminal;
  const cwd = known.running?.cwd ?? known.terminal.cwd;
  const program = known.running?.program ?? "";
  const starter = startedBy === undefined ? [] : [`started by ${onOneLine(startedBy)}`];
  const isShownElsewhere = known.terminal.conversation !== undefined;
  const isSafe = known.ended !== undefined || isShownElsewhere;
  const closing = known.ended && !isShownElsewhere ? "Dismiss" : "Close";
  return {
    label: name.text,
    hint: folderOf(known, name.text),
    ...(owner === "agent" && { section: "agents" as const }),
    name: toText(name),
    number: name.number,
    details: [
      ...[title, program]
        .filter((one) => one && one !== name.text)
        .map((one) => onOneLine(`${one}`)),
      onOneLine(cwd),
      ...starter,
    ],
    chips: [...signChips(store, id), ...chipsOf(known)],
    ended: known.ended !== undefined,
    closing: isSafe || store.mayEdit.value ? closing : undefined,
  };
}

/** Returns the chips for a bell and for progress. */
function signChips(store: Store, id: string): readonly Chip[] {
  const { rang, progress } = signs.value.get(id) ?? {};
  const chips: Chip[] = [];
  if (rang && !store.views.isShown(viewOf(id))) chips.push({ text: "bell", tone: "" });
  if (progress && progress.state !== "unknown")
    chips.push({
      text: `${progress.percent} %`,
      tone: progress.state === "failed" ? "bad" : "",
    });
  if (progress?.state === "unknown") chips.push({ text: "busy", tone: "" });
  return chips;
}

export function toneOf(ended: Ended): Chip["tone"] {
  if (typeof ended === "string" || ended.onPurpose === true) return "";
  return ended.exitCode === 0 ? "good" : "bad";
}

export function chipsOf({ terminal, ended }: Pick<Known, "terminal" | "ended">): readonly Chip[] {
  const { owner, startedBy, isolation } = terminal;
  const chips: Chip[] = [];
  // Agents' own terminals are in a section of their own and need no chip.
  if (owner === "user" && startedBy !== undefined) chips.push({ text: "from an agent", tone: "" });
  if (terminal.private) chips.push({ text: "private", tone: "good" });
  if (terminal.recording && !ended) chips.push({ text: "● rec", tone: "bad" });
  if (isolation !== undefined) chips.push({ text: isolation, tone: "" });
  if (ended) chips.push({ text: shortEndingOf(ended), tone: toneOf(ended) });
  return chips;
}
