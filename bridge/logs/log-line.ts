// Parses, filters, merges and formats log lines. Pure.

import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";
import type { LineLevel, LogSource } from "./log-paths.ts";
import { LINE_LEVELS } from "./log-paths.ts";

const LogLineSchema = z.looseObject({
  at: z.string(),
  level: z.optional(z.enum(LINE_LEVELS)),
  message: z.optional(z.string()),
  event: z.optional(z.string()),
});

export interface LogLine {
  /** Unix ms. */
  readonly at: number;
  readonly level: LineLevel;
  readonly source: LogSource;
  readonly text: string;
  /** The line as written in the file. */
  readonly raw: string;
}

export interface LogFilter {
  readonly minLevel: LineLevel;
  /** Unix ms. */
  readonly since: number;
}

/**
 * Parses the lines of one file. Lines that are not JSON (printed by a crashing program) get the time of
 * the line before.
 */
export function parseLogLines(text: string, source: LogSource, before = 0): LogLine[] {
  let lastTime = before;
  return text
    .split("\n")
    .filter((raw) => raw.trim() !== "")
    .map((raw) => {
      const line = parseLine(raw, source, lastTime);
      lastTime = line.at;
      return line;
    });
}

function parseLine(raw: string, source: LogSource, before: number): LogLine {
  const parsed = parseText(LogLineSchema, raw);
  const at = parsed.ok ? Date.parse(parsed.value.at) : Number.NaN;
  if (!parsed.ok || Number.isNaN(at)) return { at: before, level: "error", source, text: raw, raw };
  const {
    at: _at,
    level = "info",
    message,
    event,
    source: _source,
    pid: _pid,
    ...rest
  } = parsed.value;
  const details = Object.entries(rest).map(([name, value]) => `${name}=${formatValue(value)}`);
  const text = [message ?? event ?? "", ...details].join(" ");
  return { at, level, source, text, raw };
}

export function matchesFilter({ at, level }: LogLine, { minLevel, since }: LogFilter): boolean {
  return LINE_LEVELS.indexOf(level) >= LINE_LEVELS.indexOf(minLevel) && at >= since;
}

/** Merges by time; lines with the same time keep their file's order. */
export function mergeLines(sources: readonly (readonly LogLine[])[]): LogLine[] {
  return sources.flat().sort((a, b) => a.at - b.at);
}

function formatValue(value: unknown): string {
  if (typeof value === "string") return /[\s"]/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? "";
}
