// Owns the texts of recordings: why one ended, and its title. Pure.

import { basename } from "node:path";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { EndReason } from "./recorder.ts";

export const END_MESSAGES: Readonly<Record<Exclude<EndReason, "exit">, string>> = {
  limit: "it reached its limit",
  disk: "pairpty cannot write its file",
  screen: "the terminal's screen is not available",
};

/** Returns the terminal's name, else its title with its number, since many have the same folder. */
export function formatTitle({ title, meta }: PoolTerminal): string {
  const { name, command, cwd, number } = meta;
  if (name !== undefined) return name;
  const own = command === undefined ? basename(cwd) || cwd : command.join(" ");
  return number === undefined ? title || own : `${title || own} #${number}`;
}
