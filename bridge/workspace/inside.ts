// Owns whether a path lies in a folder, by their texts. Pure: whoever asks has resolved both.

import { isAbsolute, relative, sep } from "node:path";

/** A folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
