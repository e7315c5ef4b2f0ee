// Owns the two logs of a foreground process: readable lines on stderr at the chosen level, and JSON
// lines of `info` and above in a file.

import type { Log, LogLevel } from "../log.ts";
import { createLog } from "../log.ts";
import { jsonLog } from "./json-log.ts";
import type { LineLevel } from "./levels.ts";
import type { LogSource } from "./places.ts";
import { logFile } from "./places.ts";
import { environmentSecrets, masking } from "./secrets.ts";

export interface ForegroundLog extends Log {
  /** Logs to the file only, where the user sees the message in another way. */
  keep(level: LineLevel, message: string): void;
}

/** Opens the logs. `folder` has a `logs` folder: a workspace's state or a relay's data. */
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
