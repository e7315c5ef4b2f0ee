// Owns making a folder for its user alone, with its parents.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "../errors.ts";

/** Node's own way (`recursive`) never ends where none can be made, as in /proc. */
export function makeFolder(path: string): void {
  const make = () => mkdirSync(path, { mode: 0o700 });
  try {
    make();
  } catch (error) {
    if (systemCode(error) === "EEXIST" && statSync(path).isDirectory()) return;
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    make();
  }
}
