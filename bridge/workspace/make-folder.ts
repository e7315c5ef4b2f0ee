// Creates a folder that only its user can enter, with its parents.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { findSystemCode } from "../errors.ts";

/**
 * Creates the folder. Not by mkdir's `recursive`, which never returns where none can be created, as in
 * /proc.
 */
export function makeFolder(path: string): void {
  const make = () => mkdirSync(path, { mode: 0o700 });
  try {
    make();
  } catch (error) {
    if (findSystemCode(error) === "EEXIST" && statSync(path).isDirectory()) return;
    if (findSystemCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    make();
  }
}
