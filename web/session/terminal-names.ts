// Owns terminals' display names, and the texts for how they ended.

import type { PtyRecording } from "../../protocol/pty.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { toOneLine, cleanTitle } from "../../protocol/names.ts";
import type { TerminalEnd, TerminalEntry, Terminals } from "./terminal-list.ts";

export interface TerminalName {
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
export function nameTerminals(terminals: Terminals): ReadonlyMap<string, TerminalName> {
  const all = terminals.map((known, at) => {
    const { terminal, ended } = known;
    return {
      id: terminal.id,
      text: terminal.name || terminal.title || getDefaultName(known),
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

export function formatName(name: TerminalName | undefined): string {
  if (!name) return "";
  return name.shared && name.number !== undefined ? `${name.text} #${name.number}` : name.text;
}

/** Formats the news that an agent has handed its terminal over to people. */
export function formatHandover({ startedBy }: Terminal, name: TerminalName | undefined): string {
  const who = startedBy === undefined ? "An agent" : toOneLine(startedBy);
  return `${who} handed over a terminal: ${formatName(name)}`;
}

/** Formats a recording's start or end; undefined if it ended with its terminal. */
export function formatRecording(
  { on, by, why }: Pick<PtyRecording, "on" | "by" | "why">,
  name: string,
): string | undefined {
  if (on) return `${by ?? "Someone"} started recording ${name}.`;
  if (by !== undefined) return `${by} stopped recording ${name}.`;
  return why === undefined ? undefined : `The recording of ${name} ended: ${why}.`;
}

/** Returns the current folder's own name; "" if the terminal's name contains it. */
export function getFolderName(known: TerminalEntry, name: string): string {
  const folder = toOneLine(baseName(known.running?.cwd ?? known.terminal.cwd));
  return name.includes(folder) ? "" : folder;
}

/** Returns "npm run dev" for a command, the folder's name for a shell. */
function getDefaultName({ terminal, ended, running }: TerminalEntry): string {
  const { command: [program = "", ...args] = [], cwd } = terminal;
  if (!ended && running && running.program !== "") return running.program;
  if (program !== "") return cleanTitle([baseName(program), ...args].join(" "));
  return cleanTitle(baseName(running?.cwd ?? cwd));
}

function baseName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? "/";
}

export function formatTerminalEnd(ended: TerminalEnd): string {
  if (ended === "gone") return "ended";
  if (ended === "unseen") return "no longer shown";
  return ended.onPurpose === true ? "closed" : formatExit(ended);
}

/** Formats the ending for narrow places, where a truncated exit code would be misread. */
export function formatShortTerminalEnd(ended: TerminalEnd): string {
  if (ended === "unseen") return "gone";
  return formatTerminalEnd(ended)
    .replace(/^exited with/, "exit")
    .replace(/^killed by /, "");
}

function formatExit({ exitCode, signal }: Exit): string {
  if (signal !== null) return `killed by ${signal}`;
  return exitCode === null ? "ended" : `exited with ${exitCode}`;
}
