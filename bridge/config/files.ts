// Owns where configuration files are, and reading one whole: a plain file of a sane size, or a
// problem that says what it is instead.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { messageOf, systemCode } from "../errors.ts";
import { builtFile } from "../built-file.ts";
import { configRoot } from "../workspace/folders.ts";
import type { Problem } from "./problems.ts";
import { escaped } from "./problems.ts";

export const PROJECT_FILE = "pairpty.config.json";

/** Settings are a screenful; what is larger is something else. */
export const MOST_BYTES = 64 << 10;

export function userFile(): string {
  return join(configRoot(), "config.json");
}

export function projectFile(folder: string): string {
  return join(folder, PROJECT_FILE);
}

/** For editors: dist/config.schema.json. */
export function schemaFile(): string {
  return builtFile("..", "config.schema.json");
}

export type Read =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Undefined when there is none. `project`: it came with the folder, so it must not be a link to
 * somewhere else. Others are the user's own, so nobody else may be able to write them.
 */
export function readConfigFile(path: string, whose: "user" | "project"): Read | undefined {
  const problem = (what: string, right: string): Read => ({
    ok: false,
    problem: { source: escaped(path), key: undefined, what, right },
  });
  let fd: number;
  try {
    // Without waiting: a pipe that nobody writes would hold the start up.
    const link = whose === "project" ? constants.O_NOFOLLOW : 0;
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | link);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (code === "ELOOP") {
      return problem(
        "a symbolic link, and a project's file must be a file",
        "Put the file itself there, or name the other one with --config.",
      );
    }
    return problem(
      `cannot be read: ${messageOf(error)}`,
      "Make it readable for you, or remove it.",
    );
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return problem("not a file", "Put a JSON file there, or remove it.");
    if (whose === "user" && (stat.mode & 0o002) !== 0) {
      return problem(
        "everyone on this machine can write it, and it decides what runs as you",
        "chmod o-w it.",
      );
    }
    // One byte more than may be: whoever has it is too large, whatever stat said.
    const buffer = Buffer.alloc(MOST_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(fd, buffer, length, buffer.length - length, length);
    }
    if (length > MOST_BYTES) {
      return problem(
        `larger than ${MOST_BYTES >> 10} KiB`,
        "Settings need a few lines. Is it the right file?",
      );
    }
    // Behind a wall an absent one has a placeholder, which says nothing [I5].
    if (whose === "project" && length === 0) return undefined;
    return { ok: true, bytes: buffer.subarray(0, length) };
  } finally {
    closeSync(fd);
  }
}
