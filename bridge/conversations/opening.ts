// Owns opening a file for a coding agent: what was opened is looked at, not what was asked for, so
// that no link and no rename in between leads out of the folders that the user shares.

import type { BigIntStats } from "node:fs";
import { closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
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
/** Linux's, which node does not name: to look at what is there, and disturb nobody who waits at it. */
const O_PATH = 0o10000000;

export function absolutePath(path: string): string {
  if (!isAbsolute(path)) throw new Failure("invalid", `path must be absolute: ${path}`);
  if (path.includes("\0")) throw new Failure("invalid", "path has a NUL character");
  return resolve(path);
}

/** Where a new file will be: below a folder that was looked at. */
export interface NewPlace {
  /** As asked for. */
  readonly folder: string;
  /** What placeOf said of it. */
  readonly identity: string;
  /** Folders that are to be made, and the file. */
  readonly names: readonly string[];
}

export function placeOf({ path, stat }: Opened): string {
  return `${stat.dev}:${stat.ino}:${path}`;
}

/** Undefined when there is no such file; with O_EXCL, when there is one. */
export function withFile<T>(
  path: string,
  flags: number,
  check: Check,
  use: (opened: Opened) => T,
): T | undefined {
  const { O_CREAT, O_DIRECTORY, O_NOFOLLOW } = constants;
  if ((flags & O_CREAT) !== 0) return withOpened(path, path, flags, check, use);
  const looking = O_PATH | (flags & (O_DIRECTORY | O_NOFOLLOW));
  const found = withOpened(path, path, looking, check, ({ fd }) => ({
    value: withOpened(path, `/proc/self/fd/${fd}`, flags & ~O_NOFOLLOW, check, use),
  }));
  return found?.value;
}

function withOpened<T>(
  path: string,
  by: string,
  flags: number,
  check: Check,
  use: (opened: Opened) => T,
): T | undefined {
  let fd: number;
  try {
    fd = openSync(by, flags | CAREFUL, 0o666);
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

/** The folders on the way are made, each in one that was looked at, the first as it was then. */
export function withNewFile<T>(place: NewPlace, check: Check, use: (opened: Opened) => T): T {
  const { folder, identity, names } = place;
  const { O_RDONLY, O_DIRECTORY } = constants;
  const made = withFile(folder, O_RDONLY | O_DIRECTORY, check, (opened) => {
    if (placeOf(opened) !== identity) throw new Failure("refused", moved(folder));
    return { value: below(opened, names, check, use) };
  });
  if (made === undefined) throw new Failure("refused", moved(folder));
  return made.value;
}

function below<T>(
  { fd, path }: Opened,
  [name = "", ...more]: readonly string[],
  check: Check,
  use: (opened: Opened) => T,
): T {
  const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = constants;
  const inside = `/proc/self/fd/${fd}/${name}`;
  const whole = join(path, name);
  const isFile = more.length === 0;
  if (!isFile) makeFolder(inside, whole);
  const flags = isFile ? O_RDWR | O_CREAT | O_EXCL : O_RDONLY | O_DIRECTORY;
  const made = withFile(inside, flags | O_NOFOLLOW, check, (opened) => ({
    value: isFile ? use(opened) : below(opened, more, check, use),
  }));
  if (made !== undefined) return made.value;
  throw new Failure("refused", `${whole} was made by somebody else meanwhile; try again`);
}

function makeFolder(by: string, path: string): void {
  try {
    mkdirSync(by);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // Somebody else made it: opening it tells what it is.
    if (code !== "EEXIST") throw new Failure("refused", `${path} cannot be made: ${code}`);
  }
}

function moved(folder: string): string {
  return `${folder} was replaced by another folder since a person was asked; try again`;
}

function pathOf(fd: number): string {
  return readlinkSync(`/proc/self/fd/${fd}`);
}
