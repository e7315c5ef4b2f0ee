// Owns the folder for files from pages: opened again for each file, never through a symbolic link,
// and used by its descriptor, so that a folder swapped meanwhile does not redirect a write.

import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { errorMessage, findSystemCode } from "../errors.ts";

export interface UploadFolder {
  /** Absolute; had no symbolic link in it when it was resolved. */
  readonly path: string;
  /** Private to this user; removed when pairpty ends. */
  readonly isTemporary: boolean;
}

/** The folder cannot be used; the message says why. */
export class UploadFolderError extends Error {}

/** Returns the folder that all bridges of a workspace share, so that the last one removes it. */
export function toTemporaryFolder(workspaceFolder: string): UploadFolder {
  const hash = createHash("sha256").update(workspaceFolder).digest("hex").slice(0, 16);
  return { path: join(realpathSync(tmpdir()), `pairpty-files-${hash}`), isTemporary: true };
}

/** Returns the user's folder, with symbolic links resolved now and not followed later. */
export function toConfiguredFolder(path: string): UploadFolder {
  return { path: resolveExisting(path), isTemporary: false };
}

/** Runs `use` with a path that stays the same folder even if its name is moved. */
export async function withFolder<T>(
  { path, isTemporary }: UploadFolder,
  use: (inside: string) => Promise<T>,
): Promise<T> {
  const fd = openFolder(path);
  try {
    const inside = `/proc/self/fd/${fd}`;
    if (isTemporary) ensurePrivate(fd, path, inside);
    return await use(inside);
  } finally {
    closeSync(fd);
  }
}

/** User id and removal function; replaced in tests. */
interface Remover {
  readonly uid: number;
  readonly remove: (path: string) => void;
}

function removeRecursively(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/**
 * Removes the folder if it is temporary and this user's. Returns why it could not; never throws.
 */
export function removeTemporary(
  { path, isTemporary }: UploadFolder,
  { uid, remove }: Remover = { uid: userInfo().uid, remove: removeRecursively },
): string | undefined {
  if (!isTemporary) return undefined;
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.uid !== uid) return `${path} was not removed: it belongs to another user`;
    remove(path);
    return undefined;
  } catch (error) {
    if (findSystemCode(error) === undefined) throw error;
    return `${path} was not removed: ${errorMessage(error)}`;
  }
}

/** Whether the folder exists yet; the first file creates it. */
export function folderExists({ path }: UploadFolder): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function openFolder(path: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const open = (by: string) => openSync(by, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let fd: number;
  try {
    fd = open(path);
  } catch (error) {
    const code = findSystemCode(error);
    if (code === "ENOTDIR" || code === "ELOOP")
      throw new UploadFolderError(`${path} is not a folder`);
    if (code !== "ENOENT") throw toFolderError(path, error);
    fd = createInParent(path, open);
  }
  const found = readlinkSync(`/proc/self/fd/${fd}`);
  if (found === path) return fd;
  closeSync(fd);
  throw new UploadFolderError(
    `${path} leads to ${found} now, and pairpty writes no files through links`,
  );
}

/** Creates the folder inside its parent, which is opened with the same checks. */
function createInParent(path: string, open: (by: string) => number): number {
  if (dirname(path) === path) throw new UploadFolderError(`${path} does not exist`);
  const parent = openFolder(dirname(path));
  const inside = `/proc/self/fd/${parent}/${basename(path)}`;
  try {
    mkdirSync(inside, { mode: 0o700 });
    return open(inside);
  } catch (error) {
    throw toFolderError(path, error);
  } finally {
    closeSync(parent);
  }
}

function ensurePrivate(fd: number, path: string, inside: string): void {
  const { uid, mode } = fstatSync(fd);
  if (uid !== userInfo().uid) {
    throw new UploadFolderError(`${path} belongs to another user; set files.folder`);
  }
  if ((mode & 0o077) !== 0) chmodSync(`${inside}/.`, 0o700);
}

function resolveExisting(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (findSystemCode(error) !== "ENOENT" || dirname(path) === path) return path;
    return join(resolveExisting(dirname(path)), basename(path));
  }
}

function toFolderError(path: string, error: unknown): unknown {
  const code = findSystemCode(error);
  return code === undefined ? error : new UploadFolderError(`${path} cannot be used: ${code}`);
}
