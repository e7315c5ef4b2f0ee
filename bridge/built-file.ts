// Owns the paths of other files in the build: they are beside the running program.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the path of a build file beside the running one: dist/bridge/<name>. */
export function builtFile(...names: string[]): string {
  return join(dirname(fileURLToPath(import.meta.url)), ...names);
}
