// Owns finding the programs that build sandboxes and containers. Those that run inside are the
// system's; those that run outside may come from the user's PATH, but never from a folder that agents
// can write.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../workspace/is-inside.ts";

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/run/current-system/sw/bin"];

export type FindTool = (name: string) => string | undefined;

/** Finds a program of the system. */
export const findTool: FindTool = (name) => findFirst(FOLDERS, name);

/** Returns a finder over the user's PATH, then the system's folders. */
export function toOutsideFinder(path: string, roots: readonly string[]): FindTool {
  const folders = toOutsidePath(path, roots).split(delimiter);
  return (name) => findFirst([...folders, ...FOLDERS], name);
}

/** Returns a PATH for programs outside: what they start must not come from an agent either. */
export function toOutsidePath(path: string, roots: readonly string[]): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .filter((folder) => !roots.some((root) => isInside(toRealPath(folder), root)))
    .join(delimiter);
}

function toRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // The folder does not exist; if it is created later, its text decides.
    return resolve(folder);
  }
}

function findFirst(folders: readonly string[], name: string): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        // Does not exist, or is not executable.
        return false;
      }
    });
}
