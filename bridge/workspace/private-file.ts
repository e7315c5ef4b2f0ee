// Owns writing a small file that only its user may read, whole or not at all.

import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { systemCode } from "../errors.ts";

export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  const fd = openSync(draft, "w", 0o600);
  try {
    try {
      // Not writeSync: where a disk is nearly full it writes a part, and says nothing.
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    // What is written to by its number has no name of its own.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

/** Undefined when there is no such file. */
export function readOptionalFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
