// Owns the bridge's two logs: readable lines on stderr at the level asked for, and JSON lines in the
// workspace's log file, which has `info` and above whatever stderr shows.

import type { Log, LogLevel } from "../log.ts";
import { createLog } from "../log.ts";
import { jsonLog } from "./json-log.ts";
import type { LineLevel } from "./levels.ts";
import { logFile } from "./places.ts";
import { environmentSecrets, masking } from "./secrets.ts";

export interface BridgeLog extends Log {
  /** To the file alone: a person is told in another way. */
  keep(level: LineLevel, message: string): void;
}

export function openBridgeLog(
  state: string,
  level: LogLevel,
  write: (line: string) => void,
): BridgeLog {
  const mask = masking(environmentSecrets(process.env));
  const shown = createLog(level, (line) => write(mask(line)));
  const path = logFile(state, "bridge");
  const kept = jsonLog({
    path,
    source: "bridge",
    least: level === "debug" ? "debug" : "info",
    onProblem: (problem) => shown.error(`${path} cannot be written, going on without: ${problem}`),
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
