// Owns which folders above a folder may have the workspace that a command means. Pure but for `stat`.

import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { userInfo } from "node:os";
import { getHome } from "../state-home.ts";

/** Facts that decide where the search ends. */
export interface FolderFacts {
  readonly owner: number;
  readonly device: number;
}

interface SearchLimits {
  readonly home: string;
  readonly user: number;
  /** Undefined where the folder cannot be examined. */
  readonly stat: (folder: string) => FolderFacts | undefined;
}

/**
 * Returns the folder itself, then those above it, nearest first. The search ends at the home
 * folder, at a mount point, and at a folder whose owner is neither the user nor the owner of the
 * folder below it.
 */
export function listFoldersUpward(folder: string, limits: SearchLimits = systemLimits()): string[] {
  const found = [folder];
  let below = limits.stat(folder);
  for (let at = folder; at !== limits.home && dirname(at) !== at; at = dirname(at)) {
    const above = limits.stat(dirname(at));
    if (below === undefined || above === undefined || above.device !== below.device) break;
    if (above.owner !== limits.user && above.owner !== below.owner) break;
    found.push(dirname(at));
    below = above;
  }
  return found;
}

function systemLimits(): SearchLimits {
  return { home: findHome(), user: userInfo().uid, stat: findFacts };
}

/** With symlinks resolved, as for the folder itself. */
function findHome(): string {
  try {
    return realpathSync(getHome());
  } catch {
    // A home that does not exist ends no search.
    return "";
  }
}

function findFacts(folder: string): FolderFacts | undefined {
  try {
    const { uid, dev } = statSync(folder);
    return { owner: uid, device: dev };
  } catch {
    // The folder is gone or cannot be examined: the search ends below it.
    return undefined;
  }
}
