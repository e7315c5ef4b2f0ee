// Owns whether a path is one of the guarded files of some folders, by its text or because a guarded
// name there is a link that leads to it. Which names are guarded is guards.ts's.

import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../errors.ts";
import { isInside } from "../workspace/inside.ts";
import { GUARDED_NAMES, isGuarded } from "./guards.ts";

/** The roots are real paths; so is the path that is asked about, or it counts by its text alone. */
export function guardedIn(roots: readonly string[]): (path: string) => boolean {
  return (path) =>
    isGuarded(path) ||
    roots.some((root) =>
      GUARDED_NAMES.some((name) => {
        const real = realOf(join(root, name));
        return real !== undefined && isInside(path, real);
      }),
    );
}

/** Of what is not there yet, too, as long as its folder is. */
function realOf(path: string): string | undefined {
  const whole = resolved(path);
  if (whole !== undefined) return whole;
  const folder = resolved(dirname(path));
  return folder === undefined ? undefined : join(folder, basename(path));
}

function resolved(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    // Not there, or links in a circle.
    if (systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
