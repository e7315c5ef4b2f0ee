// Owns the folder that files from pages go to: found anew for each of them, never through a link, and
// everything in it by its descriptor, so that a folder swapped meanwhile leads nowhere else.

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
import { messageOf, systemCode } from "../errors.ts";

export interface FilesFolder {
  /** Absolute, with no link in it when it was settled. */
  readonly path: string;
  /** Ours alone, and gone when pairpty ends. */
  readonly isTemporary: boolean;
}

/** Why nothing can be put there. */
export class FolderProblem extends Error {}

/** Outside the workspace: the same for each bridge of it, so that the last one removes it. */
export function temporaryFolder(workspaceFolder: string): FilesFolder {
  const hash = createHash("sha256").update(workspaceFolder).digest("hex").slice(0, 16);
  return { path: join(realpathSync(tmpdir()), `pairpty-files-${hash}`), isTemporary: true };
}

/** As the user set it; what of it is there already may lead through links, now and not later. */
export function chosenFolder(path: string): FilesFolder {
  return { path: settled(path), isTemporary: false };
}

/** `use` gets a path of the folder that stays the same folder whatever happens to its name. */
export async function withFolder<T>(
  { path, isTemporary }: FilesFolder,
  use: (inside: string) => Promise<T>,
): Promise<T> {
  const fd = openFolder(path);
  try {
    const inside = `/proc/self/fd/${fd}`;
    if (isTemporary) beOurs(fd, path, inside);
    return await use(inside);
  } finally {
    closeSync(fd);
  }
}

/** Who removes, and how. */
interface Remover {
  readonly uid: number;
  readonly remove: (path: string) => void;
}

function removeWhole(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

/**
 * Only a folder of our own, or a link of ours and not what it leads to; what belongs to somebody else
 * stays, for root, too. Why it stays is told and not thrown: pairpty ends all the same.
 */
export function removeTemporary(
  { path, isTemporary }: FilesFolder,
  { uid, remove }: Remover = { uid: userInfo().uid, remove: removeWhole },
): string | undefined {
  if (!isTemporary) return undefined;
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.uid !== uid) return `${path} stays: it belongs to somebody else`;
    remove(path);
    return undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return `${path} stays: ${messageOf(error)}`;
  }
}

/** Whether there is something at its path by now; it is made with the first file. */
export function isThere({ path }: FilesFolder): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function openFolder(path: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const open = (by: string) => openSync(by, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let fd: number;
  try {
    fd = open(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOTDIR" || code === "ELOOP") throw new FolderProblem(`${path} is not a folder`);
    if (code !== "ENOENT") throw problem(path, error);
    fd = makeIn(path, open);
  }
  const found = readlinkSync(`/proc/self/fd/${fd}`);
  if (found === path) return fd;
  closeSync(fd);
  throw new FolderProblem(
    `${path} leads to ${found} now, and pairpty writes no files through links`,
  );
}

/** In the folder around it, which is looked at in the same way. */
function makeIn(path: string, open: (by: string) => number): number {
  if (dirname(path) === path) throw new FolderProblem(`${path} does not exist`);
  const around = openFolder(dirname(path));
  const inside = `/proc/self/fd/${around}/${basename(path)}`;
  try {
    mkdirSync(inside, { mode: 0o700 });
    return open(inside);
  } catch (error) {
    throw problem(path, error);
  } finally {
    closeSync(around);
  }
}

function beOurs(fd: number, path: string, inside: string): void {
  const { uid, mode } = fstatSync(fd);
  if (uid !== userInfo().uid) {
    throw new FolderProblem(`${path} belongs to another user; set files.folder`);
  }
  if ((mode & 0o077) !== 0) chmodSync(`${inside}/.`, 0o700);
}

function settled(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) return path;
    return join(settled(dirname(path)), basename(path));
  }
}

function problem(path: string, error: unknown): unknown {
  const code = systemCode(error);
  return code === undefined ? error : new FolderProblem(`${path} cannot be used: ${code}`);
}
