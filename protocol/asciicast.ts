// Owns asciicast, the format of recordings: writes version 3, reads 2 and 3. Pure, without schemas,
// so that the page can import it. Never writes input events ("i").

import { MAX_COLUMNS, MAX_ROWS } from "./limits.ts";

/** o: output. r: size, `80x24`. m: a marker. x: the exit status. */
export type CastCode = "o" | "r" | "m" | "x";

export interface CastStart {
  readonly cols: number;
  readonly rows: number;
  /** Unix ms. */
  readonly startedAt: number;
  readonly title: string;
}

export function encodeCastHeader({ cols, rows, startedAt, title }: CastStart): string {
  const term = { cols, rows, type: "xterm-256color" };
  return `${JSON.stringify({ version: 3, term, timestamp: Math.floor(startedAt / 1_000), title })}\n`;
}

/** Returns an event line; `milliseconds` is the time since the previous event. */
export function encodeCastEvent(milliseconds: number, code: CastCode, data: string): string {
  return `[${(milliseconds / 1_000).toFixed(3)}, "${code}", ${JSON.stringify(data)}]\n`;
}

interface Header extends Size {
  readonly version: 2 | 3;
  readonly timestamp: number | undefined;
  readonly title: string;
  readonly idleLimit: number | undefined;
}

interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface CastEvent {
  /** Seconds from the start. */
  readonly at: number;
  readonly code: CastCode;
  readonly data: string;
}

export interface Cast {
  readonly cols: number;
  readonly rows: number;
  readonly title: string;
  /** Unix seconds. */
  readonly timestamp: number | undefined;
  /** The file's own limit on pauses, for players. */
  readonly idleLimit: number | undefined;
  readonly events: readonly CastEvent[];
  /** Seconds. */
  readonly duration: number;
}

export type CastReadResult =
  | { readonly ok: true; readonly cast: Cast }
  | { ok: false; error: string };

/** About three years; a longer time in a file is not plausible. */
const MAX_SECONDS = 100_000_000;

/** The latest time that a JavaScript `Date` can hold, in seconds. */
const LAST_SECOND = 8.64e12;

/** Parses a recording. Ignores an incomplete last line: the recording may still be running. */
export function readCast(text: string): CastReadResult {
  const lines = text.split("\n");
  const header = readHeader(lines[0] ?? "");
  if (header === undefined)
    return { ok: false, error: "the first line is not an asciicast header" };
  const { version, ...metadata } = header;
  const events: CastEvent[] = [];
  let clock = 0;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "" || line.startsWith("#")) continue;
    const event = readEvent(line);
    if (event === undefined) {
      if (index === lines.length - 1) break;
      return { ok: false, error: `line ${index + 1} is not an event` };
    }
    const [time, code, data] = event;
    clock = Math.min(MAX_SECONDS, version === 3 ? clock + time : Math.max(clock, time));
    if (code === "o" || code === "r" || code === "m" || code === "x") {
      events.push({ at: clock, code, data });
    }
  }
  return { ok: true, cast: { ...metadata, events, duration: clock } };
}

/** Returns title and start time from a header line; undefined if the line is not a header. */
export function readCastStart(line: string): { title: string; startedAt: number } | undefined {
  const header = readHeader(line);
  return header && { title: header.title, startedAt: (header.timestamp ?? 0) * 1_000 };
}

function readHeader(line: string): Header | undefined {
  const value = tryParseJson(line);
  if (!isRecord(value)) return undefined;
  const { version, term, width, height, timestamp, title, idle_time_limit: idle } = value;
  if (version !== 2 && version !== 3) return undefined;
  const size = version === 2 ? { cols: width, rows: height } : term;
  if (!isSize(size)) return undefined;
  return {
    version,
    cols: size.cols,
    rows: size.rows,
    timestamp: isSecond(timestamp) ? timestamp : undefined,
    title: typeof title === "string" ? title : "",
    idleLimit: typeof idle === "number" && idle > 0 ? idle : undefined,
  };
}

function isSecond(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= LAST_SECOND;
}

function readEvent(line: string): [time: number, code: string, data: string] | undefined {
  const value = tryParseJson(line);
  if (!Array.isArray(value)) return undefined;
  const [time, code, data]: unknown[] = value;
  const isTime = typeof time === "number" && time >= 0;
  return isTime && typeof code === "string" && typeof data === "string"
    ? [time, code, data]
    : undefined;
}

function tryParseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isSize(value: unknown): value is Size {
  if (!isRecord(value)) return false;
  const { cols, rows } = value;
  return isWithin(cols, MAX_COLUMNS) && isWithin(rows, MAX_ROWS);
}

function isWithin(value: unknown, most: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most;
}

/** Returns the cast with every pause shortened to at most `most` seconds. */
export function capPauses(cast: Cast, most: number): Cast {
  let cut = 0;
  let before = 0;
  const events = cast.events.map((event) => {
    cut += Math.max(0, event.at - before - most);
    before = event.at;
    return { ...event, at: event.at - cut };
  });
  return { ...cast, events, duration: events.at(-1)?.at ?? 0 };
}

/** Parses the size of an "r" event. */
export function parseCastSize(data: string): Size | undefined {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(data) ?? [];
  const size = { cols: Number(cols), rows: Number(rows) };
  return isSize(size) ? size : undefined;
}
