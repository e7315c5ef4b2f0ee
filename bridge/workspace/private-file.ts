// Owns writing a small file that only its user may read, whole or not at all.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { systemCode } from "../errors.ts";

export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.draft`;
  const fd = openSync(draft, "w", 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, path);
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
