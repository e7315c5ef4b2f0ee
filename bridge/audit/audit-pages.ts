// Owns reading the audit log backwards, one page at a time. A position is a file's inode and a
// byte, which stays valid when rotation renames the file.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

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
