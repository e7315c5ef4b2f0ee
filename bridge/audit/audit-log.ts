// Owns the audit log: one JSON line for every call of an agent, every verdict, every change of a
// terminal, person, approval or grant, and every link given out. The file rotates like the other
// logs. Also owns reading the audit log backwards, one page at a time. A position is a file's inode
// and a byte, which stays valid when rotation renames the file.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Emitter } from "../emitter.ts";
import { listLogFiles, openRotatingFile } from "../logs/rotating-file.ts";
import { truncate } from "../logs/json-log.ts";
import { formatOmitted, maskValue, MAX_MASKED_CHARS } from "../secrets/mask.ts";

/** Five files of this size hold weeks of a busy agent's work. */
const MAX_BYTES = 4 << 20;
const FILES_KEPT = 5;
/** Longer texts are cut to keep a line readable. */
const MAX_TEXT = 500;
/** A longer line loses its arguments, so that a few calls cannot rotate the log's history away. */
const MAX_LINE = 8_000;
/**
 * Arguments that cost more are left out: masking this much blocks the event loop for up to 0.1 s.
 */
const MAX_COST = 4 * MAX_MASKED_CHARS;
/** Cost of the shortest text: about 20 patterns are tried on each. */
const MIN_COST = 64;
/** Deeper nesting counts as infinite cost: a few thousand levels would overflow the stack. */
const MAX_DEPTH = 100;
const TOO_MUCH = "(too much, left out)";

export interface AuditEntry {
  readonly event: string;
  readonly grant?: string;
  readonly label?: string;
  readonly tool?: string;
  readonly arguments?: unknown;
  readonly verdict?: string;
  readonly why?: readonly string[];
  readonly outcome?: string;
  readonly terminal?: string;
}

export class AuditLog {
  readonly #write: (line: string) => void;
  readonly #path: string;
  readonly #lines = new Emitter<[string]>();

  constructor(path: string, onProblem: (problem: string) => void) {
    this.#path = path;
    this.#write = openRotatingFile({
      path,
      maxBytes: MAX_BYTES,
      filesKept: FILES_KEPT,
      // The folder is the workspace's state folder; if it was removed, that was intentional.
      makesFolder: false,
      onProblem,
      lost: (count, problem) =>
        toLine({ at: now(), event: "entries lost", outcome: `${count} entries: ${problem}` }),
    });
  }

  write(entry: AuditEntry): void {
    const line = toLine({ at: now(), ...entry });
    this.#write(line);
    this.#lines.fire(line);
  }

  /** Subscribes to each line written. */
  onLine(listener: (line: string) => void): () => void {
    return this.#lines.add(listener);
  }

  readPage(request: PageRequest): AuditPage {
    return readPage(AuditLog.listFiles(this.#path), request);
  }

  /** Returns the files from oldest to newest, whether they exist or not. */
  static listFiles(path: string): string[] {
    return listLogFiles(path, FILES_KEPT);
  }
}

function now(): string {
  return new Date().toISOString();
}

function toLine(entry: AuditEntry & { readonly at: string }): string {
  if (maskingCost(entry.arguments, MAX_COST) > MAX_COST) {
    return toLine({ ...entry, arguments: TOO_MUCH });
  }
  const line = JSON.stringify(maskValue(entry), (_key, value: unknown) =>
    typeof value === "string" ? truncate(value, MAX_TEXT) : value,
  );
  if (line.length <= MAX_LINE) return line;
  return toLine({ ...entry, why: [], arguments: formatOmitted(line.length) });
}

/** Estimates the cost of masking a value; stops beyond `most`. Omitted texts cost the minimum. */
function maskingCost(value: unknown, most: number, depth = 0): number {
  if (typeof value === "string")
    return MIN_COST + (value.length > MAX_MASKED_CHARS ? 0 : value.length);
  if (typeof value !== "object" || value === null) return MIN_COST;
  if (depth > MAX_DEPTH) return Infinity;
  let cost = MIN_COST;
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    cost += maskingCost(one, most - cost, depth + 1);
    if (cost > most) break;
  }
  return cost;
}

/** Holds at least one whole line, which has at most 8,000 characters. */
const CHUNK_BYTES = 64 << 10;

export interface AuditPage {
  /** Oldest first, in the order of the log. */
  readonly lines: readonly string[];
  /** Cursor of the next older page; undefined on the last one. */
  readonly before: string | undefined;
}

export interface PageRequest {
  /** Cursor from an earlier page; undefined: the end of the log. */
  readonly before?: string | undefined;
  readonly limit: number;
  readonly maxChars: number;
}

interface LogPosition {
  readonly file: LogFile;
  readonly end: number;
}

interface LogFile {
  readonly inode: number;
  readonly size: number;
  read(from: number, to: number): Buffer;
}

/** Reads one page. `paths` are ordered from oldest to newest and may be missing. */
export function readPage(paths: readonly string[], request: PageRequest): AuditPage {
  const open: number[] = [];
  try {
    const files = paths.toReversed().flatMap((path) => openLogFile(path, open));
    return collectPage(files, request);
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

function collectPage(
  files: readonly LogFile[],
  { before, limit, maxChars }: PageRequest,
): AuditPage {
  const first = findPosition(files, before);
  if (first === undefined) return { lines: [], before: undefined };
  const lines: string[] = [];
  let chars = 0;
  let { file, end } = first;
  for (;;) {
    for (const { line, start } of linesBefore(file, end)) {
      const isTooMuch = lines.length >= limit || chars + line.length > maxChars;
      if (isTooMuch && lines.length > 0) {
        return { lines: lines.toReversed(), before: `${file.inode}-${end}` };
      }
      if (line !== "") lines.push(line);
      chars += line.length;
      end = start;
    }
    const older = files[files.indexOf(file) + 1];
    if (older === undefined) return { lines: lines.toReversed(), before: undefined };
    file = older;
    end = older.size;
  }
}

/** Yields lines from last to first; skips content that is longer than any line. */
function* linesBefore(file: LogFile, last: number): Generator<{ line: string; start: number }> {
  let end = last;
  while (end > 0) {
    const from = Math.max(0, end - CHUNK_BYTES);
    const bytes = file.read(from, end);
    // The final line break belongs to the line before it.
    let stop = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
    let found = false;
    while (stop >= 0) {
      const at = stop === 0 ? -1 : bytes.lastIndexOf(0x0a, stop - 1);
      if (at === -1 && from > 0) break;
      found = true;
      end = from + at + 1;
      yield { line: bytes.toString("utf8", at + 1, stop), start: end };
      stop = at;
    }
    if (!found) end = from;
  }
}

function findPosition(
  files: readonly LogFile[],
  before: string | undefined,
): LogPosition | undefined {
  const [newest] = files;
  if (before === undefined) return newest && { file: newest, end: newest.size };
  const [, inode = "", at = ""] = /^(\d+)-(\d+)$/.exec(before) ?? [];
  const file = files.find((one) => String(one.inode) === inode);
  // Undefined if the file was rotated away, and everything older with it.
  return file && { file, end: Math.min(Number(at), file.size) };
}

function openLogFile(path: string, open: number[]): LogFile[] {
  try {
    const descriptor = openSync(path, "r");
    open.push(descriptor);
    const { ino, size } = fstatSync(descriptor);
    const read = (from: number, to: number): Buffer => {
      const bytes = Buffer.alloc(to - from);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, from));
    };
    return [{ inode: ino, size, read }];
  } catch (error) {
    // Not written yet, or just rotated.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
