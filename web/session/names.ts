// Owns terminals' display names, and the texts for how they ended.

import type { PtyRecording } from "../../protocol/pty.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { onOneLine, plainTitle } from "../../protocol/title.ts";
import type { Ended, Known, Terminals } from "./terminals.ts";

export interface Name {
  readonly text: string;
  /** Shown before the name; undefined if a later terminal has the number of this ended one. */
  readonly number: number | undefined;
  /** Another terminal has the same text, so this one needs its number. */
  readonly shared: boolean;
}

/**
 * Names each terminal, by id: by the name that a person gave, else the program's title, else the
 * program in front, else the command, else the folder. Ended terminals are on some pages only, so
 * they do not affect the others' names.
 */
export function namesOf(terminals: Terminals): ReadonlyMap<string, Name> {
  const all = terminals.map((known, at) => {
    const { terminal, ended } = known;
    return {
      id: terminal.id,
      text: terminal.name || terminal.title || nameOf(known),
      // Terminals of an older bridge have no number.
      number: terminal.number ?? at + 1,
      createdAt: terminal.createdAt,
      ended: ended !== undefined,
    };
  });
  const open = all.filter(({ ended }) => !ended);
  return new Map(
    all.map(({ id, text, number, createdAt, ended }) => {
      const others = open.filter((one) => one.id !== id);
      const isLater = (one: (typeof all)[number]): boolean =>
        one.id !== id && one.number === number && (!one.ended || one.createdAt > createdAt);
      const isTaken = ended && all.some(isLater);
      const shared = others.some((one) => one.text === text);
      return [id, { text, number: isTaken ? undefined : number, shared }];
    }),
  );
}

export function toText(name: Name | undefined): string {
  if (!name) return "";
  return name.shared && name.number !== undefined ? `${name.text} #${name.number}` : name.text;
}

/** Formats the news that an agent has handed its terminal over to people. */
export function handedOver({ startedBy }: Terminal, name: Name | undefined): string {
  const who = startedBy === undefined ? "An agent" : onOneLine(startedBy);
  return `${who} handed over a terminal: ${toText(name)}`;
}

/** Formats a recording's start or end; undefined if it ended with its terminal. */
export function recordingSaid(
  { on, by, why }: Pick<PtyRecording, "on" | "by" | "why">,
  name: string,
): string | undefined {
  if (on) return `${by ?? "Someone"} started recording ${name}.`;
  if (by !== undefined) return `${by} stopped recording ${name}.`;
  return why === undefined ? undefined : `The recording of ${name} ended: ${why}.`;
}

/** Returns the current folder's own name; "" if the terminal's name contains it. */
export function folderOf(known: Known, name: string): string {
  const folder = onOneLine(baseName(known.running?.cwd ?? known.terminal.cwd));
  return name.includes(folder) ? "" : folder;
}

/** Returns "npm run dev" for a command, the folder's name for a shell. */
function nameOf({ terminal, ended, running }: Known): string {
  const { command: [program = "", ...args] = [], cwd } = terminal;
  if (!ended && running && running.program !== "") return running.program;
  if (program !== "") return plainTitle([baseName(program), ...args].join(" "));
  return plainTitle(baseName(running?.cwd ?? cwd));
}

function baseName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? "/";
}

export function endingOf(ended: Ended): string {
  if (ended === "gone") return "ended";
  if (ended === "unseen") return "no longer shown";
  return ended.onPurpose === true ? "closed" : exitOf(ended);
}

/** Formats the ending for narrow places, where a truncated exit code would be misread. */
export function shortEndingOf(ended: Ended): string {
  if (ended === "unseen") return "gone";
  return endingOf(ended)
    .replace(/^exited with/, "exit")
    .replace(/^killed by /, "");
}

function exitOf({ exitCode, signal }: Exit): string {
  if (signal !== null) return `killed by ${signal}`;
  return exitCode === null ? "ended" : `exited with ${exitCode}`;
}
