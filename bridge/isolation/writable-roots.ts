// Owns the writable folders of a sandbox with their guarded files, as they are on the disk now.
// Also owns looking at the disk, for builders that are otherwise pure.

import { existsSync, realpathSync, lstatSync } from "node:fs";
import { findSystemCode } from "../errors.ts";
import { isInside } from "../workspace/folders.ts";
import { makeFolder } from "../workspace/private-file.ts";
import type { Guard, FileKind } from "./guards.ts";
import { listAnchors, findGuards } from "./guards.ts";

/** A folder that is writable inside, with the files in it that are not. */
export interface WritableRoot {
  /** A real path. */
  readonly path: string;
  readonly guards: readonly Guard[];
}

export type RootsResult =
  | { readonly ok: true; readonly roots: readonly WritableRoot[] }
  | { readonly ok: false; readonly error: string };

/** Returns the roots with their guards, shorter paths first. */
export function findRootsWithGuards(
  paths: readonly string[],
  allows: (path: string) => boolean,
): RootsResult {
  const roots: WritableRoot[] = [];
  for (const path of [...new Set(paths)].sort((a, b) => a.length - b.length)) {
    const guarded = findGuards(path, lookAtPath, allows);
    if (!guarded.ok) return guarded;
    roots.push({ path, guards: guarded.guards });
  }
  return { ok: true, roots };
}

export function listGuarded(roots: readonly WritableRoot[]): string[] {
  return roots.flatMap(({ guards }) => guards.map(({ path }) => path));
}

/** Returns pairpty's own folders as real paths; creates those in a writable root before an agent can. */
export function toOwnFolders(folders: readonly string[], roots: readonly string[]): string[] {
  return folders.map((folder) => {
    if (!existsSync(folder) && roots.some((root) => isInside(folder, root))) makeFolder(folder);
    return existsSync(folder) ? realpathSync(folder) : folder;
  });
}

/** Returns the read-only and hidden paths in writable roots, and the folders on the way to them. Pure. */
export function toProtectedPaths(
  roots: readonly WritableRoot[],
  hidden: readonly string[],
): { anchors: string[]; guards: string[]; concealed: string[] } {
  const guards = roots.flatMap(({ path, guards: own }) =>
    own.map((guard) => ({ root: path, path: guard.path })),
  );
  const concealed = hidden.flatMap((path) => {
    // The innermost root is mounted last.
    const root = roots.findLast((one) => isInside(path, one.path))?.path;
    return root === undefined ? [] : [{ root, path }];
  });
  const guarded = guards.map(({ path }) => path);
  const anchors = [...guards, ...concealed].flatMap(({ root, path }) => listAnchors(root, path));
  return {
    // A guard is already a mount, and podman accepts no second one at the same path.
    anchors: [...new Set(anchors)].filter((path) => !guarded.includes(path)).sort(),
    guards: guarded,
    concealed: concealed.map(({ path }) => path),
  };
}

/** Returns what is at a path; a device or socket counts as a file, since it can be mounted on. */
export function lookAtPath(path: string): FileKind {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return "link";
    return stat.isDirectory() ? "folder" : "file";
  } catch (error) {
    const code = findSystemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return "absent";
    throw error;
  }
}
