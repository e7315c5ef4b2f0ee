// Owns the writable folders of a sandbox with their guarded files, as they are on the disk now.

import { existsSync, realpathSync } from "node:fs";
import { isInside } from "../workspace/is-inside.ts";
import { makeFolder } from "../workspace/make-folder.ts";
import type { Guard } from "./guards.ts";
import { listAnchors, findGuards } from "./guards.ts";
import { lookAtPath } from "./look-at-path.ts";

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
