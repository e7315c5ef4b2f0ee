// Owns the paths of logs: one file per process, in a private folder below a workspace's state or a
// self-hosted relay's data. Also owns the log levels.

import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../workspace/private-file.ts";

export const LINE_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LineLevel = (typeof LINE_LEVELS)[number];

export const LOG_SOURCES = ["bridge", "host", "relay"] as const;
export type LogSource = (typeof LOG_SOURCES)[number];

const LOG_FILE_NAMES: Readonly<Record<LogSource, string>> = {
  bridge: "bridge.log",
  host: "pty-host.log",
  relay: "relay.log",
};

/** Returns the folder of logs, creating it if needed. */
export function ensureLogFolder(state: string): string {
  const folder = join(state, "logs");
  makeFolder(folder);
  // Only if needed: chmod would notify watchers of the folder.
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}

export function getLogFile(state: string, source: LogSource): string {
  return join(ensureLogFolder(state), LOG_FILE_NAMES[source]);
}
