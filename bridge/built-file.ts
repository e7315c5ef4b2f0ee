// Owns where the other files of the build are: beside the running program.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the build, beside the running one: dist/bridge/<name>. */
export function builtFile(...names: string[]): string {
  return join(dirname(fileURLToPath(import.meta.url)), ...names);
}
