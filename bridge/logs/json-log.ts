// Owns writing a log line as JSON: time, level, source, message; secrets masked, length bounded.

import { truncate } from "./truncate.ts";
import type { LineLevel } from "./levels.ts";
import { LINE_LEVELS } from "./levels.ts";
import type { LogSource } from "./log-paths.ts";
import { openRotatingFile } from "./rotating-file.ts";
import { listEnvironmentSecrets, createMask } from "./log-secrets.ts";

/** Fits a stack trace, and bounds endless output of other programs. */
const MAX_TEXT_LENGTH = 4_000;

export interface JsonLogOptions {
  readonly path: string;
  readonly source: LogSource;
  readonly minLevel: LineLevel;
  readonly onProblem?: (problem: string) => void;
}

export type JsonLog = (level: LineLevel, fields: Readonly<Record<string, unknown>>) => void;

export function openJsonLog({ path, source, minLevel, onProblem }: JsonLogOptions): JsonLog {
  const mask = createMask(listEnvironmentSecrets(process.env));
  const toLine = (level: LineLevel, fields: Readonly<Record<string, unknown>>) =>
    JSON.stringify(
      { at: new Date().toISOString(), level, source, pid: process.pid, ...fields },
      (_name, value: unknown) =>
        typeof value === "string" ? truncate(mask(value), MAX_TEXT_LENGTH) : value,
    );
  const write = openRotatingFile({
    path,
    ...(onProblem === undefined ? {} : { onProblem }),
    lost: (count, problem) =>
      toLine("warn", { message: `${count} log lines could not be written: ${problem}` }),
  });
  return (level, fields) => {
    if (LINE_LEVELS.indexOf(level) >= LINE_LEVELS.indexOf(minLevel)) write(toLine(level, fields));
  };
}
