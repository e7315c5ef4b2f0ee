// Owns looking at the disk, for builders that are otherwise pure.

import { lstatSync } from "node:fs";
import { findSystemCode } from "../errors.ts";
import type { FileKind } from "./guards.ts";

/** Returns what is at a path; a device or socket counts as a file, since it can be mounted on. */
export function lookAtPath(path: string): FileKind {
  try {
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return "link";
    return stat.isDirectory() ? "folder" : "file";
  } catch (error) {
    const code = findSystemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return "absent";
    throw error;
  }
}
