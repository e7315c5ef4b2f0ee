// Owns what a tab is called. Titles come from programs, so they are text of unknown intent.

import type { Exit, Terminal } from "../../protocol/terminal.ts";
import type { Ended } from "../session/tabs.ts";

const MOST_CHARS = 60;

/** Control characters, and those that turn the direction of what follows. */
const UNWELCOME = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** "npm run dev" for a command; the folder's name for a shell. */
export function nameOf(terminal: Terminal): string {
  const command = terminal.command?.join(" ") ?? "";
  return plain(command === "" ? baseName(terminal.cwd) : command);
}

export function plain(title: string): string {
  const text = title.replace(UNWELCOME, " ").replace(/\s+/g, " ").trim();
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS).replace(/.$/su, "")}…` : text;
}

export function baseName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? "/";
}

export function endingOf(ended: Ended): string {
  return ended === "gone" ? "ended" : exitOf(ended);
}

function exitOf({ exitCode, signal }: Exit): string {
  if (signal !== null) return `killed by ${signal}`;
  return exitCode === null ? "ended" : `exited with ${exitCode}`;
}
