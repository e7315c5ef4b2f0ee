// Owns whether a path is one of the guarded files of some folders: by its text, or because a guarded
// name there is a link to it. guards.ts has the names.

import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findSystemCode } from "../errors.ts";
import { isInside } from "../workspace/is-inside.ts";
import { GUARDED_NAMES, isGuarded } from "./guards.ts";

/** Returns the test for these real paths; a path that does not exist is compared by its text. */
export function toGuardTest(roots: readonly string[]): (path: string) => boolean {
  return (path) =>
    isGuarded(path) ||
    roots.some((root) =>
      GUARDED_NAMES.some((name) => {
        const real = findRealPath(join(root, name));
        return real !== undefined && isInside(path, real);
      }),
    );
}

/** Returns the real path, also of a file that does not exist yet in a folder that does. */
function findRealPath(path: string): string | undefined {
  const whole = tryRealPath(path);
  if (whole !== undefined) return whole;
  const folder = tryRealPath(dirname(path));
  return folder === undefined ? undefined : join(folder, basename(path));
}

function tryRealPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    // Does not exist, or is a circle of links.
    if (findSystemCode(error) !== undefined) return undefined;
    throw error;
  }
}
