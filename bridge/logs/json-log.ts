// Owns writing a log line as JSON: time, level, source, message; secrets masked, length bounded.

import { cut } from "./cut.ts";
import type { LineLevel } from "./levels.ts";
import { LINE_LEVELS } from "./levels.ts";
import type { LogSource } from "./places.ts";
import { rotatingFile } from "./rotating-file.ts";
import { environmentSecrets, masking } from "./secrets.ts";

/** Fits a stack trace, and bounds endless output of other programs. */
const MOST_TEXT = 4_000;

export interface JsonLogOptions {
  readonly path: string;
  readonly source: LogSource;
  readonly least: LineLevel;
  readonly onProblem?: (problem: string) => void;
}

export type JsonLog = (level: LineLevel, fields: Readonly<Record<string, unknown>>) => void;

export function jsonLog({ path, source, least, onProblem }: JsonLogOptions): JsonLog {
  const mask = masking(environmentSecrets(process.env));
  const toLine = (level: LineLevel, fields: Readonly<Record<string, unknown>>) =>
    JSON.stringify(
      { at: new Date().toISOString(), level, source, pid: process.pid, ...fields },
      (_name, value: unknown) => (typeof value === "string" ? cut(mask(value), MOST_TEXT) : value),
    );
  const write = rotatingFile({
    path,
    ...(onProblem === undefined ? {} : { onProblem }),
    lost: (count, problem) =>
      toLine("warn", { message: `${count} log lines could not be written: ${problem}` }),
  });
  return (level, fields) => {
    if (LINE_LEVELS.indexOf(level) >= LINE_LEVELS.indexOf(least)) write(toLine(level, fields));
  };
}
