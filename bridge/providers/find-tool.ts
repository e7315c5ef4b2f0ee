// Owns finding the programs that walls are made of. Those that run inside are the system's; those
// that run outside may be the user's own, from PATH, but never from a folder that agents can write.

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../workspace/inside.ts";

const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/usr/sbin", "/run/current-system/sw/bin"];

export type Find = (name: string) => string | undefined;

/** The system's. */
export const findTool: Find = (name) => firstOf(FOLDERS, name);

/** The user's, by PATH, else the system's. */
export function finderOutside(path: string, roots: readonly string[]): Find {
  const folders = pathOutside(path, roots).split(delimiter);
  return (name) => firstOf([...folders, ...FOLDERS], name);
}

/** A PATH for programs outside: what they start must not be an agent's work either. */
export function pathOutside(path: string, roots: readonly string[]): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .filter((folder) => !roots.some((root) => isInside(realOf(folder), root)))
    .join(delimiter);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Not there, so nothing is found in it; should somebody make it, by its text.
    return resolve(folder);
  }
}

function firstOf(folders: readonly string[], name: string): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        // Not there, or not to be run.
        return false;
      }
    });
}
