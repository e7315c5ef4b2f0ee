// Owns what a terminal is called, and how it ended in words.

import type { PtyRecording } from "../../protocol/pty.ts";
import type { Exit, Terminal } from "../../protocol/terminal.ts";
import { onOneLine, plainTitle } from "../../protocol/title.ts";
import type { Ended, Known, Terminals } from "./terminals.ts";

export interface Name {
  readonly text: string;
  /** Before the name; none where a later terminal has taken over that of an ended one. */
  readonly number: number | undefined;
  /** Another has the same text: it needs the number to be told apart. */
  readonly shared: boolean;
}

/**
 * What each terminal is called, by id: as somebody called it, else as its program calls itself, else
 * by the program in front of it, else by its command, else by the folder that it is in. Ended ones are on some pages and not on others: they change nothing for the rest.
 */
export function namesOf(terminals: Terminals): ReadonlyMap<string, Name> {
  const all = terminals.map((known, at) => {
    const { terminal, ended } = known;
    return {
      id: terminal.id,
      text: terminal.name || terminal.title || nameOf(known),
      // A bridge of before gives none.
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

/** An agent's terminal is everybody's now. */
export function handedOver({ startedBy }: Terminal, name: Name | undefined): string {
  const who = startedBy === undefined ? "An agent" : onOneLine(startedBy);
  return `${who} handed over a terminal: ${toText(name)}`;
}

/** Undefined where its terminal ended, which is said anyway. */
export function recordingSaid(
  { on, by, why }: Pick<PtyRecording, "on" | "by" | "why">,
  name: string,
): string | undefined {
  if (on) return `${by ?? "Somebody"} records ${name}: what it prints is kept in a file.`;
  if (by !== undefined) return `${by} stopped recording ${name}.`;
  return why === undefined ? undefined : `The recording of ${name} ended: ${why}.`;
}

/** Where it works now, by the folder's own name; "" where its name says so already. */
export function folderOf(known: Known, name: string): string {
  const folder = onOneLine(baseName(known.running?.cwd ?? known.terminal.cwd));
  return name.includes(folder) ? "" : folder;
}

/** "npm run dev" for a command; the folder's name for a shell. */
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
  if (ended === "unseen") return "not shown any more";
  return ended.onPurpose === true ? "closed" : exitOf(ended);
}

/** The same where there is little room: a code that is cut off would say another one. */
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
