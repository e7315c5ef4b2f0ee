// Owns where logs are: one file a process, in a folder that only the user can enter, below a
// workspace's state or the data of a relay of one's own.

import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../workspace/make-folder.ts";

export const LOG_SOURCES = ["bridge", "host", "relay"] as const;
export type LogSource = (typeof LOG_SOURCES)[number];

const FILES: Readonly<Record<LogSource, string>> = {
  bridge: "bridge.log",
  host: "pty-host.log",
  relay: "relay.log",
};

/** Made if it is not there. */
export function logFolder(state: string): string {
  const folder = join(state, "logs");
  makeFolder(folder);
  // Only if needed: whoever follows the folder would be told of it.
  if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}

export function logFile(state: string, source: LogSource): string {
  return join(logFolder(state), FILES[source]);
}
