// Owns a log's file: appends whole lines, rotates by size, reopens when another process removed or
// rotated it. Never throws: a full disk must not stop the program.

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
import { errorMessage } from "../errors.ts";

/** Three files of this size hold weeks of a busy bridge and are read in a moment. */
export const MAX_LOG_BYTES = 5 << 20;
export const MAX_LOG_FILES = 3;

export interface RotatingFileOptions {
  readonly path: string;
  readonly maxBytes?: number;
  readonly filesKept?: number;
  /** Unless false, a removed folder is created again. */
  readonly makesFolder?: boolean;
  /** Fires when lines begin to be lost; again only after a successful write in between. */
  readonly onProblem?: (problem: string) => void;
  /** Returns the line that replaces lost ones. */
  readonly lost?: (count: number, problem: string) => string;
}

/** Returns the paths of a log's files from oldest to newest, existing or not. */
export function listLogFiles(path: string, kept = MAX_LOG_FILES): string[] {
  const older = Array.from({ length: kept - 1 }, (_, index) => `${path}.${index + 1}`);
  return [...older.toReversed(), path];
}

/** Returns a function that appends a line (without line end). */
export function openRotatingFile(options: RotatingFileOptions): (line: string) => void {
  const { path, maxBytes = MAX_LOG_BYTES, filesKept = MAX_LOG_FILES, makesFolder = true } = options;
  let open: { readonly fd: number; readonly inode: number } | undefined;
  let failure: { problem: string; lines: number; torn: boolean } | undefined;

  const close = () => {
    if (open !== undefined) closeSync(open.fd);
    open = undefined;
  };

  /** Returns the descriptor of the file at `path`, with room for `bytes` more. */
  const descriptor = (bytes: number): number => {
    const named = statSync(path, { throwIfNoEntry: false });
    if (named?.isFile() === true && named.size > 0 && named.size + bytes > maxBytes) {
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
    if (failure !== undefined) failure.torn = true;
    throw new Error("only a part of a line could be written");
  };

  return (line) => {
    try {
      if (failure === undefined) return append(`${line}\n`);
      const note = options.lost?.(failure.lines, failure.problem);
      const lines = [...(failure.torn ? [""] : []), ...(note === undefined ? [] : [note]), line];
      append(`${lines.join("\n")}\n`);
      failure = undefined;
    } catch (error) {
      const problem = errorMessage(error);
      if (failure === undefined) {
        failure = { problem, lines: 0, torn: problem.includes("part of a line") };
        options.onProblem?.(problem);
      }
      failure.lines++;
    }
    return undefined;
  };
}

function openFile(path: string, makesFolder: boolean): { fd: number; inode: number } {
  const folder = dirname(path);
  const isGone = makesFolder && statSync(folder, { throwIfNoEntry: false }) === undefined;
  // Only the folder, not its parents: a removed workspace state stays removed.
  if (isGone) mkdirSync(folder, { mode: 0o700 });
  const fd = openSync(path, "a", 0o600);
  return { fd, inode: fstatSync(fd).ino };
}

/** Renames each file to the next older name. Two processes at once lose an old file at worst. */
function rotate(path: string, kept: number): void {
  const [oldest, ...rest] = listLogFiles(path, kept);
  if (oldest === undefined) return;
  rmSync(oldest, { force: true });
  let target = oldest;
  for (const file of rest) {
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) renameSync(file, target);
    target = file;
  }
}
