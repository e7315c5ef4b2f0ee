// Owns opening a file for a coding agent: what was opened is looked at, not what was asked for, so
// that no link and no rename in between leads out of the folders that the user shares.

import type { BigIntStats } from "node:fs";
import { closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { systemCode } from "../errors.ts";
import { Failure } from "./failure.ts";

/** No agent's text is larger. */
export const MOST_FILE_BYTES = 4 << 20;

export interface Opened {
  readonly fd: number;
  /** Its own path, links resolved. */
  readonly path: string;
  readonly stat: BigIntStats;
}

/** Throws a Failure where an agent may not have it. */
export type Check = (opened: Opened) => void;

/** No waiting for a pipe's other end, no terminal taken over. */
const CAREFUL = constants.O_NONBLOCK | constants.O_NOCTTY;

export function absolutePath(path: string): string {
  if (!isAbsolute(path)) throw new Failure("invalid", `path must be absolute: ${path}`);
  if (path.includes("\0")) throw new Failure("invalid", "path has a NUL character");
  return resolve(path);
}

/** Undefined when there is no such file; with O_EXCL, when there is one. */
export function withFile<T>(
  path: string,
  flags: number,
  check: Check,
  use: (opened: Opened) => T,
): T | undefined {
  let fd: number;
  try {
    fd = openSync(path, flags | CAREFUL, 0o666);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "EEXIST") return undefined;
    if (code === "EISDIR") throw new Failure("invalid", `Not a file: ${path}`);
    if (code !== undefined) throw new Failure("refused", `${path} cannot be opened: ${code}`);
    throw error;
  }
  try {
    const opened = { fd, path: pathOf(fd), stat: fstatSync(fd, { bigint: true }) };
    check(opened);
    return use(opened);
  } finally {
    closeSync(fd);
  }
}

/** The folders on the way are made, each in one that was looked at. */
export function withNewFile<T>(path: string, check: Check, use: (opened: Opened) => T): T {
  return withFolder(dirname(path), check, (folder) => {
    const { O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const inside = `/proc/self/fd/${folder.fd}/${basename(path)}`;
    const made = withFile(inside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, check, (opened) => ({
      value: use(opened),
    }));
    if (made !== undefined) return made.value;
    throw new Failure("refused", `${path} was made by somebody else meanwhile; try again`);
  });
}

function withFolder<T>(path: string, check: Check, use: (opened: Opened) => T): T {
  const { O_RDONLY, O_DIRECTORY } = constants;
  const found = withFile(path, O_RDONLY | O_DIRECTORY, check, (opened) => ({ value: use(opened) }));
  if (found !== undefined) return found.value;
  withFolder(dirname(path), check, ({ fd }) => {
    try {
      mkdirSync(`/proc/self/fd/${fd}/${basename(path)}`);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      // Somebody else made it, or it cannot be made: opening it again tells.
      if (systemCode(error) !== "EEXIST") {
        throw new Failure("refused", `${path} cannot be made: ${systemCode(error)}`);
      }
    }
  });
  const made = withFile(path, O_RDONLY | O_DIRECTORY, check, (opened) => ({ value: use(opened) }));
  if (made === undefined) throw new Failure("refused", `${path} cannot be made`);
  return made.value;
}

function pathOf(fd: number): string {
  return readlinkSync(`/proc/self/fd/${fd}`);
}
