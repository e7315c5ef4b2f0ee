// Owns the two logs of a foreground process: readable lines on stderr at the chosen level, and JSON
// lines of `info` and above in a file.

import type { Log, LogLevel } from "../log.ts";
import { createLog } from "../log.ts";
import { openJsonLog, listEnvironmentSecrets, createMask } from "./json-log.ts";
import type { LineLevel, LogSource } from "./log-paths.ts";
import { getLogFile } from "./log-paths.ts";

export interface ForegroundLog extends Log {
  /** Logs to the file only, where the user sees the message in another way. */
  fileOnly(level: LineLevel, message: string): void;
}

/** Opens the logs. `folder` has a `logs` folder: a workspace's state or a relay's data. */
export function openForegroundLog(
  source: LogSource,
  folder: string,
  level: LogLevel,
  write: (line: string) => void,
): ForegroundLog {
  const mask = createMask(listEnvironmentSecrets(process.env));
  const stderrLog = createLog(level, (line) => write(mask(line)));
  const path = getLogFile(folder, source);
  const fileLog = openJsonLog({
    path,
    source,
    minLevel: level === "debug" ? "debug" : "info",
    onProblem: (problem) =>
      stderrLog.error(`${path} cannot be written, continuing without it: ${problem}`),
  });
  const at = (name: LineLevel) => (message: string) => {
    stderrLog[name](message);
    fileLog(name, { message });
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fileOnly: (name, message) => fileLog(name, { message }),
  };
}
