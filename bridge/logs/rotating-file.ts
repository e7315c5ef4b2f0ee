// Owns a log's file: whole lines appended at once, the file rotated by size, made anew when it was
// removed or rotated by somebody else. Never throws: a full disk must end nothing.

import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../errors.ts";

/** Three of these are weeks of a busy bridge, and read in a moment. */
export const MOST_BYTES = 5 << 20;
export const FILES_KEPT = 3;

export interface RotatingFileOptions {
  readonly path: string;
  readonly mostBytes?: number;
  readonly filesKept?: number;
  /** Unless false, a folder that was removed is made again. */
  readonly makesFolder?: boolean;
  /** Told once when lines begin to be lost, and again only after some were written. */
  readonly onProblem?: (problem: string) => void;
  /** The line that stands for lost ones. */
  readonly lost?: (count: number, problem: string) => string;
}

/** The files of a log from oldest to newest, whether they exist or not. */
export function logFiles(path: string, kept = FILES_KEPT): string[] {
  const older = Array.from({ length: kept - 1 }, (_, index) => `${path}.${index + 1}`);
  return [...older.toReversed(), path];
}

/** Appends a line, given without its end. */
export function rotatingFile(options: RotatingFileOptions): (line: string) => void {
  const { path, mostBytes = MOST_BYTES, filesKept = FILES_KEPT, makesFolder = true } = options;
  let open: { readonly fd: number; readonly inode: number } | undefined;
  let trouble: { problem: string; lines: number; torn: boolean } | undefined;

  const close = () => {
    if (open !== undefined) closeSync(open.fd);
    open = undefined;
  };

  /** The descriptor of the file that has the name now, with room for `bytes` more. */
  const descriptor = (bytes: number): number => {
    const named = statSync(path, { throwIfNoEntry: false });
    if (named?.isFile() === true && named.size > 0 && named.size + bytes > mostBytes) {
      rotate(path, filesKept);
      close();
    } else if (named?.ino !== open?.inode) close();
    open ??= openFile(path, makesFolder);
    return open.fd;
  };

  const append = (text: string) => {
    const bytes = Buffer.from(text);
    const written = writeSync(descriptor(bytes.length), bytes);
    if (written === bytes.length) return;
    if (trouble !== undefined) trouble.torn = true;
    throw new Error("only a part of a line could be written");
  };

  return (line) => {
    try {
      if (trouble === undefined) return append(`${line}\n`);
      const note = options.lost?.(trouble.lines, trouble.problem);
      const lines = [...(trouble.torn ? [""] : []), ...(note === undefined ? [] : [note]), line];
      append(`${lines.join("\n")}\n`);
      trouble = undefined;
    } catch (error) {
      const problem = messageOf(error);
      if (trouble === undefined) {
        trouble = { problem, lines: 0, torn: problem.includes("part of a line") };
        options.onProblem?.(problem);
      }
      trouble.lines++;
    }
    return undefined;
  };
}

function openFile(path: string, makesFolder: boolean): { fd: number; inode: number } {
  const folder = dirname(path);
  const isGone = makesFolder && statSync(folder, { throwIfNoEntry: false }) === undefined;
  // The folder itself, but not what it was in: whoever removes a workspace's state means it.
  if (isGone) mkdirSync(folder, { mode: 0o700 });
  const fd = openSync(path, "a", 0o600);
  return { fd, inode: fstatSync(fd).ino };
}

/** Each file takes the next older one's name. Two that do this at once lose an old file at worst. */
function rotate(path: string, kept: number): void {
  const [oldest, ...rest] = logFiles(path, kept);
  if (oldest === undefined) return;
  rmSync(oldest, { force: true });
  let target = oldest;
  for (const file of rest) {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) renameSync(file, target);
    target = file;
  }
}
