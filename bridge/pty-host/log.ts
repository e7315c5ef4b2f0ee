// Owns the host's log: one JSON line per event, appended synchronously. Never throws: a full disk
// must not end terminals.

import { writeSync } from "node:fs";
import type { LineLevel } from "../logs/log-paths.ts";
import { openJsonLog } from "../logs/json-log.ts";

export type Log = (event: string, details?: Readonly<Record<string, unknown>>) => void;

const STDERR = 2;

/** Opens the log `file`, or stderr. */
export function openLog(file: string | undefined): Log {
  if (file === undefined) return toStderr;
  const write = openJsonLog({ path: file, source: "host", minLevel: "info" });
  return (event, details) => write(getLevel(event), { event, ...details });
}

/** Returns the level by the event's name. Pure. */
export function getLevel(event: string): LineLevel {
  if (event === "bug") return "error";
  return /-(failed|dropped|cut)$|^unknown-/.test(event) ? "warn" : "info";
}

function toStderr(event: string, details?: Readonly<Record<string, unknown>>): void {
  try {
    writeSync(STDERR, `${JSON.stringify({ at: new Date().toISOString(), event, ...details })}\n`);
  } catch {
    // No process is left to report to.
  }
}
