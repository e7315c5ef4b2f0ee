// Owns the bridge's log lines: one line each, to stderr, at or above a level. Nothing goes to
// stdout. Callers must not pass tokens; they name grants by id.

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const minLevel = LOG_LEVELS.indexOf(level);
  const at = (name: LogLevel) => (message: string) => {
    if (LOG_LEVELS.indexOf(name) < minLevel) return;
    write(`${new Date().toISOString()} ${name.padEnd(5)} ${message}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
