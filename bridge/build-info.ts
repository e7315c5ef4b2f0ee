// Owns what the build knows: its version, and the paths of its other files, which are beside the
// running program.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

declare const __VERSION__: string;

/** Code that runs without a build (unit tests) has no version. */
export const VERSION = typeof __VERSION__ === "string" ? __VERSION__ : "0.0.0";

export const SOFTWARE = `pairpty/${VERSION}`;

/** Returns the path of a build file beside the running one: dist/bridge/<name>. */
export function builtFile(...names: string[]): string {
  return join(dirname(fileURLToPath(import.meta.url)), ...names);
}
