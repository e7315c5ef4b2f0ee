// Owns opening a file for a coding agent: checks the opened file instead of the requested path, so
// that no symlink or concurrent rename leads out of the shared folders.

import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  lstatSync,
  readdirSync,
} from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { findSystemCode } from "../errors.ts";
import { Failure } from "./agent-ports.ts";

/** Maximum size of a text file for agents. */
export const MAX_FILE_BYTES = 4 << 20;

export interface OpenedFile {
  readonly fd: number;
  /** Real path. */
  readonly path: string;
  readonly stat: BigIntStats;
}

/** Throws a Failure if the agent may not access the file. */
export type CheckFile = (opened: OpenedFile) => void;

/** Do not block on a pipe's other end, and do not acquire a controlling terminal. */
const SAFE_OPEN_FLAGS = constants.O_NONBLOCK | constants.O_NOCTTY;
/**
 * Linux's O_PATH, which node does not export: opens a file for inspection only, without side
 * effects on a pipe's other end.
 */
const O_PATH = 0o10000000;

export function absolutePath(path: string): string {
  if (!isAbsolute(path)) throw new Failure("invalid", `path must be absolute: ${path}`);
  if (path.includes("\0")) throw new Failure("invalid", "path has a NUL character");
  return resolve(path);
}

/** Location of a new file, below a checked folder. */
export interface NewFileLocation {
  /** The path as requested. */
  readonly folder: string;
  /** Result of `toFolderIdentity` for the folder. */
  readonly identity: string;
  /** Names of the folders to create, and of the file. */
  readonly names: readonly string[];
}

export function toFolderIdentity({ path, stat }: OpenedFile): string {
  return `${stat.dev}:${stat.ino}:${path}`;
}

/** Opens, checks and uses a file. Undefined if it does not exist; with O_EXCL, if it does. */
export function withFile<T>(
  path: string,
  flags: number,
  check: CheckFile,
  use: (opened: OpenedFile) => T,
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
  check: CheckFile,
  use: (opened: OpenedFile) => T,
): T | undefined {
  let fd: number;
  try {
    fd = openSync(by, flags | SAFE_OPEN_FLAGS, 0o666);
  } catch (error) {
    const code = findSystemCode(error);
    if (code === "ENOENT" || code === "EEXIST") return undefined;
    if (code === "EISDIR") throw new Failure("invalid", `Not a file: ${path}`);
    if (code !== undefined) throw new Failure("refused", `${path} cannot be opened: ${code}`);
    throw error;
  }
  try {
    const opened = { fd, path: getRealPath(fd), stat: fstatSync(fd, { bigint: true }) };
    check(opened);
    return use(opened);
  } finally {
    closeSync(fd);
  }
}

/** Creates a file and its folders, each inside a checked one; fails if the first was replaced. */
export function withNewFile<T>(
  place: NewFileLocation,
  check: CheckFile,
  use: (opened: OpenedFile) => T,
): T {
  const { folder, identity, names } = place;
  const { O_RDONLY, O_DIRECTORY } = constants;
  const made = withFile(folder, O_RDONLY | O_DIRECTORY, check, (opened) => {
    if (toFolderIdentity(opened) !== identity) throw new Failure("refused", formatReplaced(folder));
    return { value: createBelow(opened, names, check, use) };
  });
  if (made === undefined) throw new Failure("refused", formatReplaced(folder));
  return made.value;
}

function createBelow<T>(
  { fd, path }: OpenedFile,
  [name = "", ...more]: readonly string[],
  check: CheckFile,
  use: (opened: OpenedFile) => T,
): T {
  const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = constants;
  const inside = `/proc/self/fd/${fd}/${name}`;
  const whole = join(path, name);
  const isFile = more.length === 0;
  if (!isFile) makeFolder(inside, whole);
  const flags = isFile ? O_RDWR | O_CREAT | O_EXCL : O_RDONLY | O_DIRECTORY;
  const made = withFile(inside, flags | O_NOFOLLOW, check, (opened) => ({
    value: isFile ? use(opened) : createBelow(opened, more, check, use),
  }));
  if (made !== undefined) return made.value;
  throw new Failure("refused", `${whole} was created by another process meanwhile; try again`);
}

function makeFolder(by: string, path: string): void {
  try {
    mkdirSync(by);
  } catch (error) {
    const code = findSystemCode(error);
    if (code === undefined) throw error;
    // It exists by now; opening it checks what it is.
    if (code !== "EEXIST") throw new Failure("refused", `${path} cannot be created: ${code}`);
  }
}

function formatReplaced(folder: string): string {
  return `${folder} was replaced by another folder while a person decided; try again`;
}

function getRealPath(fd: number): string {
  return readlinkSync(`/proc/self/fd/${fd}`);
}

/** Enough for pairpty's own folders. */
const MAX_SCANNED = 5_000;

/** Whether the file is one of these or inside one, by device and inode. */
export function isWithinByInode(
  { dev, ino }: OpenedFile["stat"],
  folders: readonly string[],
): boolean {
  let scanned = 0;
  const waiting = [...folders];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (isSameInode(folder, dev, ino)) return true;
    for (const entry of listEntries(folder)) {
      scanned += 1;
      // Too many to check: refuse.
      if (scanned > MAX_SCANNED) return true;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (isSameInode(path, dev, ino)) return true;
    }
  }
  return false;
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Missing, or not a folder.
    if (findSystemCode(error) !== undefined) return [];
    throw error;
  }
}

function isSameInode(path: string, dev: bigint, ino: bigint): boolean {
  try {
    const stat = lstatSync(path, { bigint: true });
    return stat.dev === dev && stat.ino === ino;
  } catch (error) {
    if (findSystemCode(error) !== undefined) return false;
    throw error;
  }
}

export function toIdentity({ stat }: OpenedFile, text: string): string {
  return `${stat.dev}:${stat.ino}:${digest(text)}`;
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
