// Owns asciicast, the format of recordings: version 3 is written, 2 and 3 are read. Pure: the bridge
// writes with it, the page and the command line read with it, the page without the schemas. No input is
// ever written ("i").

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

export function castHeader({ cols, rows, startedAt, title }: CastStart): string {
  const term = { cols, rows, type: "xterm-256color" };
  return `${JSON.stringify({ version: 3, term, timestamp: Math.floor(startedAt / 1_000), title })}\n`;
}

/** `milliseconds` since the event before it. */
export function castLine(milliseconds: number, code: CastCode, data: string): string {
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
  /** What the file asks players to shorten pauses to. */
  readonly idleLimit: number | undefined;
  readonly events: readonly CastEvent[];
  /** Seconds. */
  readonly duration: number;
}

export type CastRead = { readonly ok: true; readonly cast: Cast } | { ok: false; error: string };

/** Three years. What a file says beyond that is no time that anybody waited for. */
const MOST_SECONDS = 100_000_000;

/** The last time that a date can say, in seconds. */
const LAST_SECOND = 8.64e12;

/** A last line that is cut, as of a recording that still runs, is left out. */
export function readCast(text: string): CastRead {
  const lines = text.split("\n");
  const header = readHeader(lines[0] ?? "");
  if (header === undefined) return { ok: false, error: "the first line is no asciicast header" };
  const { version, ...told } = header;
  const events: CastEvent[] = [];
  let clock = 0;
  for (const [index, line] of lines.entries()) {
    if (index === 0 || line.trim() === "" || line.startsWith("#")) continue;
    const event = readEvent(line);
    if (event === undefined) {
      if (index === lines.length - 1) break;
      return { ok: false, error: `line ${index + 1} is no event` };
    }
    const [time, code, data] = event;
    clock = Math.min(MOST_SECONDS, version === 3 ? clock + time : Math.max(clock, time));
    if (code === "o" || code === "r" || code === "m" || code === "x") {
      events.push({ at: clock, code, data });
    }
  }
  return { ok: true, cast: { ...told, events, duration: clock } };
}

/** What a header says of a recording; undefined where it is none. */
export function castStart(line: string): { title: string; startedAt: number } | undefined {
  const header = readHeader(line);
  return header && { title: header.title, startedAt: (header.timestamp ?? 0) * 1_000 };
}

function readHeader(line: string): Header | undefined {
  const given = parsed(line);
  if (!isRecord(given)) return undefined;
  const { version, term, width, height, timestamp, title, idle_time_limit: idle } = given;
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
  const given = parsed(line);
  if (!Array.isArray(given)) return undefined;
  const [time, code, data]: unknown[] = given;
  const isTime = typeof time === "number" && time >= 0;
  return isTime && typeof code === "string" && typeof data === "string"
    ? [time, code, data]
    : undefined;
}

function parsed(line: string): unknown {
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

/** No pause longer than so many seconds. */
export function withoutPauses(cast: Cast, most: number): Cast {
  let cut = 0;
  let before = 0;
  const events = cast.events.map((event) => {
    cut += Math.max(0, event.at - before - most);
    before = event.at;
    return { ...event, at: event.at - cut };
  });
  return { ...cast, events, duration: events.at(-1)?.at ?? 0 };
}

/** The size in an "r" event. */
export function castSize(data: string): Size | undefined {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(data) ?? [];
  const size = { cols: Number(cols), rows: Number(rows) };
  return isSize(size) ? size : undefined;
}
