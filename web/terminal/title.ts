// Owns what a tab is called. Titles come from programs, so they are text of unknown intent.

import type { Exit, Terminal } from "../../protocol/terminal.ts";
import type { Ended, Tabs } from "../session/tabs.ts";

const MOST_CHARS = 60;

/** Control characters, and those that turn the direction of what follows. */
const UNWELCOME = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

export interface Name {
  readonly text: string;
  /** Which of those with this text it is; none for the first. */
  readonly number: number | undefined;
}

/**
 * What each tab is called, by id: as its program calls itself, else by its command, else by its
 * folder. The same twice is told apart by a number, in the order of their making.
 */
export function namesOf(tabs: Tabs): ReadonlyMap<string, Name> {
  const taken = new Map<string, number>();
  const inOrder = tabs.toSorted((a, b) => a.terminal.createdAt - b.terminal.createdAt);
  return new Map(
    inOrder.map(({ terminal, title }) => {
      const text = title || nameOf(terminal);
      const count = (taken.get(text) ?? 0) + 1;
      taken.set(text, count);
      return [terminal.id, { text, number: count === 1 ? undefined : count }];
    }),
  );
}

export function toText(name: Name | undefined): string {
  if (!name) return "";
  return name.number === undefined ? name.text : `${name.text} #${name.number}`;
}

/** "npm run dev" for a command; the folder's name for a shell. */
function nameOf({ command: [program = "", ...args] = [], cwd }: Terminal): string {
  return plain(program === "" ? baseName(cwd) : [baseName(program), ...args].join(" "));
}

export function plain(title: string): string {
  const text = title.replace(UNWELCOME, " ").replace(/\s+/g, " ").trim();
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).replace(/.$/su, "")}…` : text;
}

function baseName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? "/";
}

export function endingOf(ended: Ended): string {
  return ended === "gone" ? "ended" : exitOf(ended);
}

function exitOf({ exitCode, signal }: Exit): string {
  if (signal !== null) return `killed by ${signal}`;
  return exitCode === null ? "ended" : `exited with ${exitCode}`;
}
