// Owns the two logs of a process that somebody started: readable lines on stderr at the level asked
// for, and JSON lines in a log file, which has `info` and above whatever stderr shows.

import type { Log, LogLevel } from "../log.ts";
import { createLog } from "../log.ts";
import { jsonLog } from "./json-log.ts";
import type { LineLevel } from "./levels.ts";
import type { LogSource } from "./places.ts";
import { logFile } from "./places.ts";
import { environmentSecrets, masking } from "./secrets.ts";

export interface ForegroundLog extends Log {
  /** To the file alone: a person is told in another way. */
  keep(level: LineLevel, message: string): void;
}

/** Below a folder that has logs: a workspace's state, or a relay's data. */
export function openForegroundLog(
  source: LogSource,
  folder: string,
  level: LogLevel,
  write: (line: string) => void,
): ForegroundLog {
  const mask = masking(environmentSecrets(process.env));
  const shown = createLog(level, (line) => write(mask(line)));
  const path = logFile(folder, source);
  const kept = jsonLog({
    path,
    source,
    least: level === "debug" ? "debug" : "info",
    onProblem: (problem) =>
      shown.error(`${path} cannot be written, continuing without it: ${problem}`),
  });
  const at = (name: LineLevel) => (message: string) => {
    shown[name](message);
    kept(name, { message });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    keep: (name, message) => kept(name, { message }),
  };
}
